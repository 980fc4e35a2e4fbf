import { RecordView } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import type { SharedType } from '../../definition/shared-type.ts';
import type { Handlers } from '../methods.ts';
import { ControlError } from '../error.ts';
import type { Ports } from './ports.ts';
import { createCursor, recordSlice } from './slices.ts';

const cursor = createCursor('after', RecordView.pick({ source: true, type: true, key: true }).strip());

type Place = ReturnType<typeof cursor.read>;

/** Creates the handlers of types that records of several sources are of. */
export function typeHandlers({ store, catalogue }: Pick<Ports, 'store' | 'catalogue'>): Pick<Handlers, 'type.records'> {
  return {
    'type.records': async ({ id, where, after, limit }) => {
      const type = findType(id);
      const viewOf = (record: RecordView): RecordView => ofType(record, type);
      const { found, last } = await recordSlice(recordsOf(id, cursor.read(after)), limit, { viewOf, where });
      return {
        fields: Object.keys(type.fields),
        records: found.map(viewOf),
        ...defined({ next: last && cursor.textOf(last) }),
      };
    },
  };

  function findType(id: string): SharedType {
    const type = catalogue().types.get(id);
    if (type === undefined) throw new ControlError('not_found', `no type "${id}"`);
    return type;
  }

  /** The records that are of a type, by source, record and key. */
  function* recordsOf(id: string, from: Place): Generator<RecordView> {
    const kinds = [...catalogue().sources.values()].flatMap(({ source }) =>
      Object.entries(source.records).flatMap(([type, { is }]) => (is === id ? [{ source: source.id, type }] : [])),
    );
    kinds.sort((one, other) => compare(one.source, other.source) || compare(one.type, other.type));
    for (const { source, type } of kinds) {
      const place = from === undefined ? 1 : compare(source, from.source) || compare(type, from.type);
      if (place >= 0) yield* store().records.ofType(source, type, place === 0 ? from?.key : undefined);
    }
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A record with the fields of a type alone. */
function ofType(record: RecordView, { fields }: SharedType): RecordView {
  const isOfType = ([path]: readonly [string, unknown]): boolean =>
    Object.hasOwn(fields, /^[^.[]+/.exec(path)?.[0] ?? path);
  const { precision, ...rest } = record;
  return {
    ...rest,
    fields: Object.fromEntries(Object.entries(record.fields).filter(isOfType)),
    ...(precision !== undefined && { precision: Object.fromEntries(Object.entries(precision).filter(isOfType)) }),
  };
}
