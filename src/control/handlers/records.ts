import { type HistoryView, RecordView } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import type { Handlers, Params } from '../methods.ts';
import { findProject } from './find.ts';
import type { Ports } from './ports.ts';
import { createCursor, newestFirst, rowsFrom, sliceOf } from './slices.ts';

const cursor = createCursor('after', RecordView.pick({ target: true, record: true }).strip());

/** Creates the handlers of a project's records and their history. */
export function recordHandlers(deps: Pick<Ports, 'store'>): Pick<Handlers, 'project.records' | 'project.history'> {
  return {
    'project.records': ({ id, source, type, after, limit }) => {
      const store = deps.store();
      const { targets } = findProject(store, id);
      const rows = rowsFrom(targets, cursor.read(after), (target, from) =>
        store.records.ofTarget(target, { after: from?.record }),
      );
      const { found, last } = sliceOf(
        rows,
        limit,
        (row) => (source === undefined || row.source === source) && (type === undefined || row.type === type),
      );
      return { records: found, ...defined({ next: last && cursor.textOf(last) }) };
    },

    'project.history': (params) => {
      const store = deps.store();
      const { targets } = findProject(store, params.id);
      const histories = targets.map((target) => store.history.ofTarget(target, { before: params.before }));
      const rows = newestFirst(histories, ({ serial }) => serial);
      const { found, last } = sliceOf(rows, params.limit, (row) => isWanted(row, params));
      return { changes: found, ...defined({ next: last?.serial }) };
    },
  };
}

function isWanted(row: HistoryView, { source, type, key, field }: Params<'project.history'>): boolean {
  return (
    (source === undefined || row.source === source) &&
    (type === undefined || row.type === type) &&
    (key === undefined || row.key === key) &&
    (field === undefined || Object.hasOwn(row.fields, field))
  );
}
