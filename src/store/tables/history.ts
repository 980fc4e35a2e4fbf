import type { HistoryView, RecordView } from '../../view/record.ts';
import type { Environment } from '../lmdb/environment.ts';
import { putOrRemove, type Range, table } from '../lmdb/table.ts';
import { fieldsOf, type HistoryKey, historyPacking, type HistoryPlace, type PackedChange } from './history-packing.ts';
import { type PackedEntry, type PlaceRange, sealedHistory } from './sealed-history.ts';
import { wordsOf } from './words.ts';

/** A part of the history of a record. */
export interface HistoryRange {
  /** The first instant; `after` is the last place before the range. */
  readonly since?: number | undefined;
  readonly after?: HistoryPlace | undefined;
  /** The first instant or place behind the range. */
  readonly before?: number | HistoryPlace | undefined;
  /** Only changes of this field. */
  readonly field?: string | undefined;
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean;
}

/** The number of the event of a job, the number of the record, and the instant that is corrected. */
type CorrectionKey = [serial: number, record: number, at: number];

/** The place of a correction among those of its job. */
export interface CorrectionPlace {
  readonly record: number;
  readonly at: number;
}

/** Changes of a record that are sealed at a time, at least and at most. */
const [leastSealed, mostSealed] = [32, 128];

/**
 * The changes of records, by record, each from the oldest to the newest; old ones may be sealed, several in a row. The name of a record comes from
 * `records`.
 */
export function historyTable(
  environment: Environment,
  records: { nameOf(record: number): Pick<RecordView, 'source' | 'type' | 'key'> | undefined },
) {
  const open = table<HistoryKey, PackedChange>(environment, 'history');
  const sealed = sealedHistory(environment);
  const { pack, unpack } = historyPacking(wordsOf(environment));
  /** The versions of definitions by which changes were read. */
  const versions = table<string, 1>(environment, 'history.versions');
  /** The corrections by the job whose event is their serial. */
  const corrections = table<CorrectionKey, 1>(environment, 'history.corrections');
  /** Up to where the history of each record is thinned. */
  const thinned = table<number, HistoryPlace>(environment, 'history.thinned');

  return {
    /** Adds a change; its serial is the id of its event. */
    add({ record, at, serial, source: _source, type: _type, key: _key, ...row }: HistoryView): void {
      const entry: PackedEntry = { key: [record, at, serial], row: pack(row, [record, at, serial]) };
      if (!sealed.add(entry)) open.put(entry.key, entry.row);
      if (row.version !== '' && !versions.has(row.version)) versions.put(row.version, 1);
      if (row.corrects !== undefined) corrections.put([serial, record, at], 1);
    },
    get: read,
    ofRecord,
    /** Removes changes of one record, whose events must be gone or stored whole. */
    remove(changes: readonly HistoryView[]): void {
      const [first] = changes;
      if (first === undefined) return;
      sealed.remove(
        first.record,
        changes.filter(({ record, at, serial }) => !open.remove([record, at, serial])),
      );
      for (const { record, at, serial, corrects } of changes)
        if (corrects !== undefined) corrections.remove([serial, record, at]);
    },
    /** The changes that one event's job has corrected the history by, by record and instant. */
    *correctionsOf(
      serial: number,
      { after, limit }: { readonly after?: CorrectionPlace | undefined; readonly limit?: number } = {},
    ): Iterable<HistoryView> {
      const first: Range<CorrectionKey> =
        after === undefined ? { from: [serial, 0, 0] } : { after: [serial, after.record, after.at] };
      for (const [, record, at] of corrections.keys({ ...first, before: [serial + 1, 0, 0], limit })) {
        const change = read(record, at, serial);
        if (change !== undefined) yield change;
      }
    },
    /** Whether any change was corrected. */
    hasCorrections(): boolean {
      for (const _ of corrections.keys({ limit: 1 })) return true;
      return false;
    },
    /** The newest change of a record in a range; `undefined` where there is none. */
    newestPlace(record: number, range: HistoryRange = {}): HistoryPlace | undefined {
      const bounds = placesOf(range);
      for (const [, at, serial] of open.keys({ ...keysOf(record, bounds), newestFirst: true, limit: 1 }))
        return { at, serial };
      for (const { key } of sealed.ofRecordBackwards(record, bounds)) return { at: key[1], serial: key[2] };
      return undefined;
    },
    /** The newest of the changes of a record that come before its newest `keep`; `undefined` where there is none. */
    placeBefore(record: number, keep: number): HistoryPlace | undefined {
      const range = { ...keysOf(record, placesOf({})), newestFirst: true };
      for (const [, at, serial] of open.keys({ ...range, offset: keep, limit: 1 })) return { at, serial };
      const most = sealed.mostOf(record);
      if (most === 0) return undefined;
      let left = keep - [...open.keys(range)].length;
      if (left >= most) return undefined;
      for (const { key } of sealed.ofRecordBackwards(record, placesOf({})))
        if ((left -= 1) < 0) return { at: key[1], serial: key[2] };
      return undefined;
    },
    /** Whether a record has enough changes before a place that `seal` would seal. */
    canSeal(record: number, before: HistoryPlace): boolean {
      const range = keysOf(record, placesOf({ before }));
      for (const _ of open.keys({ ...range, offset: leastSealed - 1, limit: 1 })) return true;
      return false;
    },
    /** Seals the oldest of the changes of a record before a place that are not: some of them, that more can be done by another call. */
    seal(record: number, before: HistoryPlace): void {
      const entries = [...open.entries({ ...keysOf(record, placesOf({ before })), limit: mostSealed })];
      sealed.append(record, entries);
      for (const { key } of entries) open.remove(key);
    },
    /** The last place up to which the history of a record is thinned. */
    thinnedTo: thinned.get,
    setThinnedTo: (record: number, place: HistoryPlace | undefined) => putOrRemove(thinned, [[record, place]]),
    /** All changes, record by record; those after a change that is kept or not. */
    *rows(after?: Pick<HistoryView, 'record' | 'at' | 'serial'>): Iterable<HistoryView> {
      const range: Range<HistoryKey> = after === undefined ? {} : { after: [after.record, after.at, after.serial] };
      for (const entry of inOrder(sealed.all(range), open.entries(range))) yield viewOf(entry, nameOf(entry.key[0]));
    },
    count: () => open.count() + sealed.count(),
    /** Whether a change was read by a version of a definition; also one that is not kept any more. */
    namesVersion: versions.has,
  };

  /** The changes of a record, removed or not. To be iterated within the turn of the event loop in which it is called. */
  function* ofRecord(record: number, { field, limit = Infinity, ...range }: HistoryRange = {}): Iterable<HistoryView> {
    let name: ReturnType<typeof nameOf> | undefined;
    let left = limit;
    for (const entry of entriesOf(record, range)) {
      if (left <= 0) return;
      if (field !== undefined && !Object.hasOwn(fieldsOf(entry.row), field)) continue;
      name ??= nameOf(record);
      yield viewOf(entry, name);
      left -= 1;
    }
  }

  function* entriesOf(record: number, { newestFirst = false, ...range }: HistoryRange): Iterable<PackedEntry> {
    const bounds = placesOf(range);
    if (!newestFirst) yield* sealed.ofRecord(record, bounds);
    yield* open.entries({ ...keysOf(record, bounds), newestFirst });
    if (newestFirst) yield* sealed.ofRecordBackwards(record, bounds);
  }

  function read(record: number, at: number, serial: number): HistoryView | undefined {
    const key: HistoryKey = [record, at, serial];
    const row = open.get(key) ?? sealed.get(record, { at, serial });
    return row && viewOf({ key, row }, nameOf(record));
  }

  function viewOf({ key, row }: PackedEntry, name: Pick<RecordView, 'source' | 'type' | 'key'>): HistoryView {
    const [record, at, serial] = key;
    return { serial, record, source: name.source, type: name.type, key: name.key, at, ...unpack(row, key) };
  }

  function nameOf(record: number): Pick<RecordView, 'source' | 'type' | 'key'> {
    const name = records.nameOf(record);
    if (name === undefined) throw new Error(`history: expected the record ${record} to have a name`);
    return name;
  }
}

/** The places of a range: from one on, or behind it, up to another. */
function placesOf({ since = 0, after, before = Infinity }: HistoryRange): PlaceRange {
  return {
    from: after ?? { at: since, serial: 0 },
    isBehind: after !== undefined,
    before: typeof before === 'number' ? { at: before, serial: 0 } : before,
  };
}

function keysOf(record: number, { from, isBehind, before }: PlaceRange): Range<HistoryKey> {
  const first: HistoryKey = [record, from.at, from.serial];
  return { ...(isBehind ? { after: first } : { from: first }), before: [record, before.at, before.serial] };
}

/** The entries of two sequences, each in the order of keys, in that order. */
function* inOrder(one: Iterable<PackedEntry>, other: Iterable<PackedEntry>): Generator<PackedEntry> {
  const others = other[Symbol.iterator]();
  try {
    let next = others.next();
    for (const entry of one) {
      while (next.done !== true && isBefore(next.value.key, entry.key)) {
        yield next.value;
        next = others.next();
      }
      yield entry;
    }
    for (; next.done !== true; next = others.next()) yield next.value;
  } finally {
    others.return?.();
  }
}

function isBefore(one: HistoryKey, other: HistoryKey): boolean {
  const differing = one.findIndex((part, place) => part !== other[place]);
  return differing >= 0 && (one[differing] ?? 0) < (other[differing] ?? 0);
}
