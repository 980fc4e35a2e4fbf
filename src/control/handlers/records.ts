import { allFields } from '../../definition/all-fields.ts';
import { HistoryView, RecordView } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import { differencesOf } from '../../store/differences.ts';
import type { Handlers, Params } from '../methods.ts';
import { isGone } from '../../view/record-state.ts';
import { withFiles } from '../../store/files.ts';
import { removeRecords } from '../../store/remove-records.ts';
import { importHistory } from '../../store/import-history.ts';
import { ControlError, invalidParam } from '../error.ts';
import { changeLists } from './change-lists.ts';
import { checkNames, findProject, findSource } from './find.ts';
import { rulesOf } from './rules-of-change.ts';
import type { Ports } from './ports.ts';
import { createCursor, recordSlice, rowsFrom, sliceOf } from './slices.ts';

/** A record, and the target in whose turn it is listed, which may be another one than saw it first. */
interface Listed {
  readonly target: number;
  readonly record: number;
  readonly view: RecordView;
}

const cursor = createCursor('after', RecordView.pick({ target: true, record: true }).strip());

const changeCursor = createCursor('before', HistoryView.pick({ at: true, serial: true }).strip());

type Place = ReturnType<typeof cursor.read>;
type Served =
  | 'source.records'
  | 'project.records'
  | 'project.history'
  | 'project.diff'
  | 'record.remove'
  | 'record.import';

/** Creates the handlers of records and their history. */
export function recordHandlers(deps: Pick<Ports, 'store' | 'catalogue'>): Pick<Handlers, Served> {
  const listChanges = changeLists(deps.store);

  return {
    'source.records': ({ id, type, where, after, limit }) => {
      const from = cursor.read(after);
      checkNames({ source: id, type }, deps);
      return answer(ofSource(id, from), limit, where, ({ view }) => type === undefined || view.type === type);
    },

    'project.records': ({ id, source, type, where, after, limit }) => {
      checkNames({ project: id, source, type }, deps);
      const { targets } = findProject(deps.store(), id);
      const rows = rowsFrom(targets, cursor.read(after), (target, from) => ofTarget(target, from));
      const isWanted = ({ view }: Listed): boolean =>
        (source === undefined || view.source === source) && (type === undefined || view.type === type);
      return answer(rows, limit, where, isWanted);
    },

    'project.history': async ({ id, source, before, until, rules, ...wanted }) => {
      checkNames({ project: id, source, type: wanted.type }, deps);
      const place = changeCursor.read(before);
      const { changes, next } = await listChanges(targetsOf(id, source), { ...wanted, before: until }, place);
      const told = rules ? changes.map((change) => ({ ...change, rules: rulesOf(deps.store(), change) })) : changes;
      return { changes: told, ...defined({ next: next && changeCursor.textOf(next) }) };
    },

    'project.diff': async ({ id, source, from, to = deps.store().now(), after, ...wanted }) => {
      checkNames({ project: id, source, type: wanted.type }, deps);
      const range = { from, to, after: cursor.read(after) };
      const found = await differencesOf(deps.store(), targetsOf(id, source), { ...wanted, ...range });
      return { differences: found.differences, ...defined({ next: found.next && cursor.textOf(found.next) }) };
    },

    'record.remove': async ({ source, type, keys, gone, notSeenSince = Infinity, dryRun, after, limit }) => {
      checkNames({ source, type }, deps);
      const isOld = (view: RecordView): boolean => (gone ? isGone(view) : view.updatedAt < notSeenSince);
      const isWanted = (view: RecordView): boolean => view.type === type && (keys !== undefined || isOld(view));
      const { found, last } =
        keys === undefined
          ? sliceOf(ofSource(source, cursor.read(after)), limit, ({ view }) => isWanted(view))
          : { found: [...new Set(keys)].map((key) => findRecord(source, type, key)) };
      const views = found.map(({ view }) => view);
      const numbers = views.map(({ record }) => record);
      const removed = dryRun ? views : await removeRecords(deps.store(), numbers, isWanted);
      return { removed: removed.map(({ key }) => key), ...defined({ next: last && cursor.textOf(last) }) };
    },

    'record.import': (past) => {
      const { source, type, versions } = past;
      const { records } = findSource(deps.catalogue(), source);
      checkNames({ source, type }, deps);
      const rule = records[type];
      const known = rule && allFields(rule);
      const unknown = versions.flatMap(({ fields }) => Object.keys(fields)).find((name) => known?.[name] === undefined);
      if (unknown !== undefined && known !== undefined)
        throw invalidParam('versions', `record ${type} of source "${source}" has no field "${unknown}"`);
      return importHistory(deps.store(), past);
    },
  };

  /** The targets of a project, all or those on one source. */
  function targetsOf(id: string, source: string | undefined): readonly number[] {
    const { targets } = findProject(deps.store(), id);
    return source === undefined
      ? targets
      : targets.filter((target) => deps.store().targets.get(target)?.source === source);
  }

  /** Returns a record. Throws a `ControlError` `not_found` where there is none. */
  function findRecord(source: string, type: string, key: string): Pick<Listed, 'view'> {
    const view = deps.store().records.get(source, type, key);
    if (view !== undefined) return { view };
    throw new ControlError('not_found', `source "${source}" has no record ${type} "${key}"`);
  }

  async function answer(
    rows: Iterable<Listed>,
    limit: number,
    where: Params<'source.records'>['where'],
    isWanted: (row: Listed) => boolean,
  ) {
    const { found, last } = await recordSlice(rows, limit, { viewOf: ({ view }) => view, isWanted, where });
    return {
      records: found.map(({ view }) => withFiles(deps.store(), view)),
      ...defined({ next: last && cursor.textOf(last) }),
    };
  }

  function* ofTarget(target: number, from: Place): Generator<Listed> {
    for (const view of deps.store().records.ofTarget(target, defined({ after: from?.record })))
      yield { target, record: view.record, view };
  }

  /** The records of a source, each with the target that it belongs to. */
  function* ofSource(id: string, from: Place): Generator<Listed> {
    const { targets } = deps.store();
    const numbers = targets.numbersOfSource(id, from === undefined ? {} : { after: from.target - 1 });
    for (const target of numbers)
      for (const row of ofTarget(target, target === from?.target ? from : undefined))
        if (row.view.target === target) yield row;
  }
}
