import { RecordView } from '../../view/record.ts';
import { didYouMean } from '../../schema/near-name.ts';
import { defined } from '../../defined.ts';
import type { SharedType } from '../../definition/shared-type.ts';
import { type Entity, entityOf, isLinking } from '../../store/entities.ts';
import type { Handlers, Result } from '../methods.ts';
import type { EntityView } from '../methods/type.ts';
import { ControlError } from '../error.ts';
import type { Ports } from './ports.ts';
import { createCursor, recordSlice } from './slices.ts';

const cursor = createCursor('after', RecordView.pick({ source: true, type: true, key: true }).strip());

type Place = ReturnType<typeof cursor.read>;
type Entities = Result<'type.entities'>;

/** The most records whose entities one answer looks for, and the most that it shows: some ten milliseconds of work. */
const [maxLooked, maxShown] = [500, 1_000];

/** Creates the handlers of types that records of several sources are of. */
export function typeHandlers({
  store,
  catalogue,
}: Pick<Ports, 'store' | 'catalogue'>): Pick<Handlers, 'type.records' | 'type.entities'> {
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

    'type.entities': ({ id, source, key, after, limit }) => {
      const type = findType(id);
      const found =
        source === undefined || key === undefined
          ? listed(type, cursor.read(after), limit)
          : { entities: ofKey(type, source, key) };
      return { ...found, ...(isLinking(store(), id) && { linking: true }) };
    },
  };

  function findType(id: string): SharedType {
    const { types } = catalogue();
    const type = types.get(id);
    if (type === undefined) throw new ControlError('not_found', `no type "${id}"${didYouMean(id, types.keys())}`);
    return type;
  }

  /** The records that are of a type, by source, record and key. */
  function* recordsOf(id: string, from: Place): Generator<RecordView> {
    for (const [source, record] of namesOf(id)) {
      const place = from === undefined ? 1 : compare(source, from.source) || compare(record, from.type);
      if (place >= 0) yield* store().records.ofType(source, record, place === 0 ? from?.key : undefined);
    }
  }

  /** The names of the records that are of a type with their sources, loaded or not, in order. */
  function namesOf(id: string): (readonly [source: string, record: string])[] {
    return store()
      .types.entries()
      .flatMap(({ key, row }) => (row.rule?.type === id ? [key] : []))
      .sort((one, other) => compare(one[0], other[0]) || compare(one[1], other[1]));
  }

  /** Lists the entities of more than one record whose first record is behind a place, few enough for one answer. */
  function listed(type: SharedType, from: Place, limit: number): Omit<Entities, 'linking'> {
    const entities: EntityView[] = [];
    let [tooLarge, looked, shown] = [0, 0, 0];
    let last: RecordView | undefined;
    for (const record of recordsOf(type.id, from)) {
      const isFull = entities.length === limit || looked === maxLooked || shown >= maxShown;
      if (last !== undefined && isFull) return { entities, ...told(), next: cursor.textOf(last) };
      const entity = entityOf(store(), record);
      if (entity.isTooLarge) tooLarge += 1;
      if (entity.records.length > 1 && entity.records[0]?.record === record.record) {
        entities.push(viewOf(entity, type));
        shown += entity.records.length;
      }
      looked += 1;
      last = record;
    }
    return { entities, ...told() };

    function told() {
      return tooLarge > 0 ? { tooLarge } : {};
    }
  }

  /** Finds the entities of the records with a key, one for each name of records of the source that are of the type. */
  function ofKey(type: SharedType, source: string, key: string): readonly EntityView[] {
    const found = namesOf(type.id).flatMap((name) =>
      name[0] === source ? (store().records.get(...name, key) ?? []) : [],
    );
    if (found.length === 0)
      throw new ControlError('not_found', `source "${source}" has no record "${key}" that is of type "${type.id}"`);
    return found.map((record) => viewOf(entityOf(store(), record), type));
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function viewOf({ records, tooCommon, isTooLarge }: Entity, type: SharedType): EntityView {
  return {
    records: records.map((record) => ofType(record, type)),
    ...(tooCommon.length > 0 && { tooCommon }),
    ...(isTooLarge && { tooLarge: true }),
  };
}

/** A record with the fields of a type alone, in the order of the type. */
function ofType(record: RecordView, { fields }: SharedType): RecordView {
  const { precision, ...rest } = record;
  const isOfType = ([path]: readonly [string, unknown]): boolean =>
    Object.hasOwn(fields, /^[^.[]+/.exec(path)?.[0] ?? path);
  const cells = Object.keys(fields).flatMap((name) => {
    const cell = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined;
    return cell === undefined ? [] : [[name, cell] as const];
  });
  return {
    ...rest,
    fields: Object.fromEntries(cells),
    ...(precision !== undefined && { precision: Object.fromEntries(Object.entries(precision).filter(isOfType)) }),
  };
}
