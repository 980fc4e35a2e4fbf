import type { Environment } from '../lmdb/environment.ts';
import type { HistoryView } from '../../view/record.ts';
import { numberedTable, type NumberRange, type Range, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

/** The changes of records, in the order of the commits; those of one target come with the newest first. */
export function historyTable(environment: Environment) {
  const rows = numberedTable<HistoryView>(environment, 'history', (_, name) =>
    namingSources(environment, table<number, HistoryView>(environment, name), { row: ownSource }),
  );
  const byTarget = table<[number, number], 1>(environment, 'history.by_target');

  return {
    add(row: Omit<HistoryView, 'serial'>): HistoryView {
      const added = rows.add((serial) => ({ serial, ...row }));
      byTarget.put([row.target, added.serial], 1);
      return added;
    },
    *ofTarget(target: number, { before = Infinity, limit }: Omit<NumberRange, 'after'> = {}): Generator<HistoryView> {
      const range = { after: [target, 0], before: [target, before], newestFirst: true, limit } satisfies Range<
        [number, number]
      >;
      for (const [, serial] of byTarget.keys(range)) {
        const row = rows.get(serial);
        if (row !== undefined) yield row;
      }
    },
    /** Removes up to `limit` changes of a target's records. Returns their number. */
    clear(target: number, limit: number): number {
      const keys = [...byTarget.keys({ from: [target, 0], before: [target + 1, 0], limit })];
      for (const key of keys) {
        const [, serial] = key;
        byTarget.remove(key);
        // The next number follows from the last row.
        if (serial === rows.last()) rows.put(serial, { serial, target, source: '' } as HistoryView);
        else rows.remove(serial);
      }
      return keys.length;
    },
    rows: rows.rows,
    exceeds: rows.exceeds,
    /** Removes up to `limit` of the oldest rows beyond the newest `keep`. Returns the number of removed rows. */
    trim: (keep: number, limit: number) =>
      rows.trim(keep, limit, ({ serial, target }) => void byTarget.remove([target, serial])),
    count: rows.count,
  };
}
