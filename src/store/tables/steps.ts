import type { Environment } from '../lmdb/environment.ts';
import type { StepRow } from './rows.ts';
import { table } from '../lmdb/table.ts';

/** The run logs of scrapes, by scrape and step. */
export function stepTable(environment: Environment) {
  const rows = table<[number, number], StepRow>(environment, 'steps');

  return {
    has: (scrape: number, step: number) => rows.has([scrape, step]),
    put: (row: StepRow) => rows.put([row.scrape, row.step], row),
    ofScrape: (
      scrape: number,
      { afterStep = 0, limit }: { readonly afterStep?: number; readonly limit?: number } = {},
    ) => rows.rows({ after: [scrape, afterStep], before: [scrape, Infinity], limit }),
    /** Whether there are more steps than `keep`. */
    exceeds: (keep: number) => rows.count() > keep,
    /** Returns how many of the newest steps stay when those at the beginning go that are `spent`; looks at up to `limit` steps. */
    keptBehind(spent: (row: StepRow) => boolean, limit: number): number {
      let gone = 0;
      for (const row of rows.rows({ limit })) {
        if (!spent(row)) break;
        gone += 1;
      }
      return rows.count() - gone;
    },
    /** Removes up to `limit` of the oldest steps beyond the newest `keep`. Returns the number of removed steps. */
    trim(keep: number, limit: number): number {
      const surplus = Math.min(limit, rows.count() - keep);
      return surplus > 0 ? rows.removeRange({ limit: surplus }) : 0;
    },
    count: rows.count,
  };
}
