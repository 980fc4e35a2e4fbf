import type { Tally } from '../../schedule/waste.ts';
import type { Environment } from '../environment.ts';
import { table } from './table.ts';

/** What each target cost, by day and target, and what each source's pulse did that asked for many at once; days are counted from 1970 in UTC. */
export interface WasteTable {
  get(day: number, of: number | string): Tally | undefined;
  put(day: number, of: number | string, tally: Tally): void;
  count(): number;
  /** Removes up to `limit` rows of the oldest days: those before a day, and those beyond the newest `keep`; how many that were. */
  trim(before: number, keep: number, limit: number): number;
}

export function wasteTable(environment: Environment): WasteTable {
  const rows = table<[number, number | string], Tally>(environment, 'waste');

  return {
    get: (day, of) => rows.get([day, of]),
    put: (day, of, tally) => rows.put([day, of], tally),
    count: rows.count,
    trim(before, keep, limit) {
      const surplus = Math.min(limit, rows.count() - keep);
      const old = [...rows.keys({ before: [before, 0], limit })];
      const oldest = old.length >= surplus ? old : [...rows.keys({ limit: surplus })];
      for (const key of oldest) rows.remove(key);
      return oldest.length;
    },
  };
}
