import type { Environment } from '../environment.ts';
import type { HistoryRow } from '../rows.ts';
import { numberedTable } from './numbered.ts';
import { recordKey } from './records.ts';
import { table } from './table.ts';

/** A slice of a history, the newest change first. */
export interface HistorySlice {
  /** The serial of the last row of the slice before. */
  readonly before?: number;
  readonly limit?: number;
}

/** How records changed, in the order of the commits. */
export interface HistoryTable {
  add(row: Omit<HistoryRow, 'serial'>): HistoryRow;
  ofTarget(target: number, slice?: HistorySlice): Iterable<HistoryRow>;
  ofRecord(source: string, type: string, key: string, slice?: HistorySlice): Iterable<HistoryRow>;
  rows(range?: { readonly after?: number; readonly limit?: number }): Iterable<HistoryRow>;
  trim(keep: number, limit: number): number;
  count(): number;
}

export function historyTable(environment: Environment): HistoryTable {
  const rows = numberedTable<HistoryRow>(environment, 'history');
  const byTarget = table<[number, number], 1>(environment, 'history.by_target');
  const byRecord = table<[string, string, string, number], 1>(environment, 'history.by_record');

  return {
    add(row) {
      const added = rows.add((serial) => ({ serial, ...row }));
      byTarget.put([row.target, added.serial], 1);
      byRecord.put([...recordKey(row.source, row.type, row.key), added.serial], 1);
      return added;
    },
    *ofTarget(target, { before = Infinity, limit } = {}) {
      const range = { after: [target, 0], before: [target, before] } satisfies Record<string, [number, number]>;
      yield* named(byTarget.keys({ ...range, newestFirst: true, ...(limit !== undefined && { limit }) }));
    },
    *ofRecord(source, type, key, { before = Infinity, limit } = {}) {
      const record = recordKey(source, type, key);
      const range = { after: [...record, 0], before: [...record, before] } satisfies Record<
        string,
        [...typeof record, number]
      >;
      yield* named(byRecord.keys({ ...range, newestFirst: true, ...(limit !== undefined && { limit }) }));
    },
    rows: rows.rows,
    trim: (keep, limit) =>
      rows.trim(keep, limit, ({ serial, target, source, type, key }) => {
        byTarget.remove([target, serial]);
        byRecord.remove([...recordKey(source, type, key), serial]);
      }),
    count: rows.count,
  };

  function* named(keys: Iterable<readonly (string | number)[]>): Generator<HistoryRow> {
    for (const key of keys) {
      const row = rows.get(Number(key.at(-1)));
      if (row !== undefined) yield row;
    }
  }
}
