import type { Environment } from '../lmdb/environment.ts';
import type { HistoryView } from '../../view/record.ts';
import { numberedTable, type NumberRange, table } from '../lmdb/table.ts';
import { recordKey } from './records.ts';

/** The changes of records, in the order of the commits; those of one target or record come with the newest first. */
export function historyTable(environment: Environment) {
  const rows = numberedTable<HistoryView>(environment, 'history');
  const byTarget = table<[number, number], 1>(environment, 'history.by_target');
  const byRecord = table<[string, string, string, number], 1>(environment, 'history.by_record');

  return {
    add(row: Omit<HistoryView, 'serial'>): HistoryView {
      const added = rows.add((serial) => ({ serial, ...row }));
      byTarget.put([row.target, added.serial], 1);
      byRecord.put([...recordKey(row.source, row.type, row.key), added.serial], 1);
      return added;
    },
    ofTarget: (target: number, { before = Infinity, limit }: Omit<NumberRange, 'after'> = {}) =>
      named(byTarget.keys({ after: [target, 0], before: [target, before], newestFirst: true, limit })),
    ofRecord(source: string, type: string, key: string, { before = Infinity, limit }: Omit<NumberRange, 'after'> = {}) {
      const record = recordKey(source, type, key);
      return named(byRecord.keys({ after: [...record, 0], before: [...record, before], newestFirst: true, limit }));
    },
    rows: rows.rows,
    exceeds: rows.exceeds,
    /** Removes up to `limit` of the oldest rows beyond the newest `keep`. Returns the number of removed rows. */
    trim: (keep: number, limit: number) =>
      rows.trim(keep, limit, ({ serial, target, source, type, key }) => {
        byTarget.remove([target, serial]);
        byRecord.remove([...recordKey(source, type, key), serial]);
      }),
    count: rows.count,
  };

  function* named(keys: Iterable<readonly (string | number)[]>): Generator<HistoryView> {
    for (const key of keys) {
      const row = rows.get(Number(key.at(-1)));
      if (row !== undefined) yield row;
    }
  }
}
