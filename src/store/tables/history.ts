import type { HistoryView, RecordView } from '../../view/record.ts';
import type { Environment } from '../lmdb/environment.ts';
import { packedTable, putOrRemove, type Range, table } from '../lmdb/table.ts';
import { historyPacking, type HistoryRow, type PackedChange } from './history-packing.ts';
import { wordsOf } from './words.ts';

/** The place of a change in the history of its record. */
export interface HistoryPlace {
  readonly at: number;
  readonly serial: number;
}

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

/** The number of the record, the instant of the observation, and the id of the event that tells of it. */
type HistoryKey = [record: number, at: number, serial: number];

/** The number of the event of a job, the number of the record, and the instant that is corrected. */
type CorrectionKey = [serial: number, record: number, at: number];

/** The place of a correction among those of its job. */
export interface CorrectionPlace {
  readonly record: number;
  readonly at: number;
}

/** The changes of records, by record, each from the oldest to the newest. The name of a record comes from `records`. */
export function historyTable(
  environment: Environment,
  records: { nameOf(record: number): Pick<RecordView, 'source' | 'type' | 'key'> | undefined },
) {
  const packed = table<HistoryKey, PackedChange>(environment, 'history');
  const rows = packedTable(packed, historyPacking(wordsOf(environment)));
  /** The versions of definitions by which changes were read. */
  const versions = table<string, 1>(environment, 'history.versions');
  /** The corrections by the job whose event is their serial. */
  const corrections = table<CorrectionKey, 1>(environment, 'history.corrections');
  /** Up to where the history of each record is thinned. */
  const thinned = table<number, HistoryPlace>(environment, 'history.thinned');

  return {
    /** Adds a change; its serial is the id of its event. */
    add({ record, at, serial, source: _source, type: _type, key: _key, ...row }: HistoryView): void {
      rows.put([record, at, serial], row);
      if (row.version !== '' && !versions.has(row.version)) versions.put(row.version, 1);
      if (row.corrects !== undefined) corrections.put([serial, record, at], 1);
    },
    get(record: number, at: number, serial: number): HistoryView | undefined {
      const row = rows.get([record, at, serial]);
      return row && viewOf([record, at, serial], row, nameOf(record));
    },
    ofRecord,
    /** Removes a change, whose event must be gone or stored whole. */
    remove({ record, at, serial, corrects }: HistoryView): void {
      rows.remove([record, at, serial]);
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
        const row = rows.get([record, at, serial]);
        if (row !== undefined) yield viewOf([record, at, serial], row, nameOf(record));
      }
    },
    /** Whether any change was corrected. */
    hasCorrections(): boolean {
      for (const _ of corrections.keys({ limit: 1 })) return true;
      return false;
    },
    /**
     * The newest change of a record, without reading it; `undefined` where there is none.
     *
     * @param offset - changes that are passed over before it. Default: 0.
     */
    newestPlace(record: number, range: HistoryRange = {}, offset = 0): HistoryPlace | undefined {
      for (const [, at, serial] of rows.keys({ ...keysOf(record, { ...range, newestFirst: true }), offset, limit: 1 }))
        return { at, serial };
      return undefined;
    },
    /** The last place up to which the history of a record is thinned. */
    thinnedTo: thinned.get,
    setThinnedTo: (record: number, place: HistoryPlace | undefined) => putOrRemove(thinned, [[record, place]]),
    /** All changes, record by record; those after a change that is kept or not. */
    *rows(after?: Pick<HistoryView, 'record' | 'at' | 'serial'>): Iterable<HistoryView> {
      const range: Range<HistoryKey> = after === undefined ? {} : { after: [after.record, after.at, after.serial] };
      for (const { key, row } of rows.entries(range)) yield viewOf(key, row, nameOf(key[0]));
    },
    count: rows.count,
    /** Whether a change was read by a version of a definition; also one that is not kept any more. */
    namesVersion: versions.has,
  };

  /** The changes of a record, removed or not. To be iterated within the turn of the event loop in which it is called. */
  function* ofRecord(record: number, { field, limit = Infinity, ...range }: HistoryRange = {}): Iterable<HistoryView> {
    let name: ReturnType<typeof nameOf> | undefined;
    let left = limit;
    for (const { key, row } of rows.entries(keysOf(record, range))) {
      if (left <= 0) return;
      if (field !== undefined && !Object.hasOwn(row.fields, field)) continue;
      name ??= nameOf(record);
      yield viewOf(key, row, name);
      left -= 1;
    }
  }

  function nameOf(record: number): Pick<RecordView, 'source' | 'type' | 'key'> {
    const name = records.nameOf(record);
    if (name === undefined) throw new Error(`history: expected the record ${record} to have a name`);
    return name;
  }
}

function keysOf(
  record: number,
  { since = 0, after, before = Infinity, newestFirst = false }: HistoryRange,
): Range<HistoryKey> {
  return {
    ...(after === undefined ? { from: [record, since, 0] } : { after: [record, after.at, after.serial] }),
    before: typeof before === 'number' ? [record, before, 0] : [record, before.at, before.serial],
    newestFirst,
  };
}

function viewOf(
  [record, at, serial]: HistoryKey,
  row: HistoryRow,
  { source, type, key }: Pick<RecordView, 'source' | 'type' | 'key'>,
): HistoryView {
  return { serial, record, source, type, key, at, ...row };
}
