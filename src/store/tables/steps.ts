import type { Environment } from '../environment.ts';
import type { StepRow } from '../rows.ts';
import { table } from './table.ts';

/** The run logs of scrapes, by scrape and step. */
export interface StepTable {
  has(scrape: number, step: number): boolean;
  put(row: StepRow): void;
  ofScrape(scrape: number, slice?: { readonly afterStep?: number; readonly limit?: number }): Iterable<StepRow>;
  /** Removes up to `limit` of the oldest steps beyond `keep`; how many that were. */
  trim(keep: number, limit: number): number;
  count(): number;
}

export function stepTable(environment: Environment): StepTable {
  const rows = table<[number, number], StepRow>(environment, 'steps');

  return {
    has: (scrape, step) => rows.has([scrape, step]),
    put: (row) => rows.put([row.scrape, row.step], row),
    ofScrape: (scrape, { afterStep = 0, limit } = {}) =>
      rows.rows({ after: [scrape, afterStep], before: [scrape, Infinity], ...(limit !== undefined && { limit }) }),
    trim(keep, limit) {
      const surplus = Math.min(limit, rows.count() - keep);
      if (surplus <= 0) return 0;
      const oldest = [...rows.keys({ limit: surplus })];
      for (const key of oldest) rows.remove(key);
      return oldest.length;
    },
    count: rows.count,
  };
}
