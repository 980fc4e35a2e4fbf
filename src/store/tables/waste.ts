import type { Tally } from '../../schedule/waste.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/**
 * Costs by day and target, or by day and source for pulses that asked for many targets at once. Days are counted from
 * 1970 in UTC.
 */
export function wasteTable(environment: Environment) {
  const rows = namingSources(environment, table<[number, number | string], Tally>(environment, 'waste'), { key: 1 });

  return {
    get: (day: number, of: number | string) => rows.get([day, of]),
    put: (day: number, of: number | string, tally: Tally) => rows.put([day, of], tally),
    count: rows.count,
    /** Whether there are rows of days before the day `before`, or more rows than `keep`, which `trim` would remove. */
    exceeds(before: number, keep: number): boolean {
      for (const _ of rows.keys({ before: [before, 0], limit: 1 })) return true;
      return rows.count() > keep;
    },
    /**
     * Removes up to `limit` rows of the oldest days: those before the day `before`, and those beyond the newest `keep`
     * rows. Returns the number of removed rows.
     */
    trim(before: number, keep: number, limit: number): number {
      const surplus = Math.min(limit, rows.count() - keep);
      const old = [...rows.keys({ before: [before, 0], limit })];
      const oldest = old.length >= surplus ? old : [...rows.keys({ limit: surplus })];
      for (const key of oldest) rows.remove(key);
      return oldest.length;
    },
  };
}
