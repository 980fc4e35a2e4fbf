import type { Tally } from '../../schedule/waste.ts';
import type { Environment } from '../environment.ts';
import { table } from './table.ts';

/** What the scrapes of each target cost, by day and target; days are counted from 1970 in UTC. */
export interface WasteTable {
  get(day: number, target: number): Tally | undefined;
  put(day: number, target: number, tally: Tally): void;
  count(): number;
  /** Removes up to `limit` rows of the oldest days: those before a day, and those beyond the newest `keep`; how many that were. */
  trim(before: number, keep: number, limit: number): number;
}

export function wasteTable(environment: Environment): WasteTable {
  const rows = table<[number, number], Tally>(environment, 'waste');

  return {
    get: (day, target) => rows.get([day, target]),
    put: (day, target, tally) => rows.put([day, target], tally),
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
