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
    /** Removes up to `limit` of the oldest steps beyond the newest `keep`. Returns the number of removed steps. */
    trim(keep: number, limit: number): number {
      const surplus = Math.min(limit, rows.count() - keep);
      return surplus > 0 ? rows.removeRange({ limit: surplus }) : 0;
    },
    count: rows.count,
  };
}
