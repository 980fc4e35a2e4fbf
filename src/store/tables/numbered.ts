import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** A table whose keys count up from 1. */
export interface NumberedTable<V> extends Table<number, V> {
  /** Appends the row made for the next number, and returns it. */
  readonly add: (make: (number: number) => V) => V;
  /** The highest number in use, among those committed unless asked within the transaction; 0 in an empty table. */
  readonly last: () => number;
  /**
   * Removes up to `limit` of the oldest rows beyond the newest `keep`, but for those that `gone`, which is told each, says
   * stay. The newest row always stays, as the next number follows from it. Returns how many it removed.
   */
  readonly trim: (keep: number, limit: number, gone?: (row: V) => 'stays' | void) => number;
}

export function numberedTable<V>(environment: Environment, name: string): NumberedTable<V> {
  const rows = table<number, V>(environment, name);
  let known: number | undefined;
  // A number of a change that was undone is free again.
  environment.onUndone(() => {
    known = undefined;
  });

  return {
    ...rows,
    add(make) {
      const number = (known ?? last()) + 1;
      const row = make(number);
      rows.append(number, row);
      known = number;
      return row;
    },
    last,
    trim(keep, limit, gone) {
      const oldest = [...rows.entries({ before: last() - Math.max(1, keep) + 1, limit })];
      const leaving = oldest.filter(({ row }) => gone?.(row) !== 'stays');
      for (const { key } of leaving) rows.remove(key);
      return leaving.length;
    },
  };

  function last(): number {
    return rows.lastKey() ?? 0;
  }
}
