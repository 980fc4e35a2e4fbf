import type { Environment } from '../lmdb/environment.ts';
import type { ScrapeRow } from './rows.ts';
import { numberedTable, type NumberRange, table } from '../lmdb/table.ts';

/** The scrapes, by number. Lists of them begin with the newest. */
export function scrapeTable(environment: Environment) {
  const rows = numberedTable<ScrapeRow>(environment, 'scrapes');
  const byTarget = table<[number, number], 1>(environment, 'scrapes.by_target');
  const running = table<number, 1>(environment, 'scrapes.running');

  return {
    get: rows.get,
    add(make: (scrape: number) => ScrapeRow): ScrapeRow {
      const row = rows.add(make);
      byTarget.put([row.target, row.scrape], 1);
      if (row.status === 'running') running.put(row.scrape, 1);
      return row;
    },
    /** Stores a known scrape whose status has not changed. */
    put: (row: ScrapeRow) => rows.put(row.scrape, row),
    /** Stores a known scrape that begins to run or ends. */
    move(row: ScrapeRow): void {
      rows.put(row.scrape, row);
      if (row.status === 'running') running.put(row.scrape, 1);
      else running.remove(row.scrape);
    },
    rows: (slice: Omit<NumberRange, 'after'> = {}) => rows.rows({ ...slice, newestFirst: true }),
    *ofTarget(target: number, { before = Infinity, limit }: Omit<NumberRange, 'after'> = {}): Iterable<ScrapeRow> {
      const keys = byTarget.keys({ after: [target, 0], before: [target, before], newestFirst: true, limit });
      for (const [, scrape] of keys) yield* known(scrape);
    },
    *running(): Iterable<ScrapeRow> {
      for (const scrape of running.keys()) yield* known(scrape);
    },
    /** The number of running scrapes, without reading them. */
    countRunning: running.count,
    last: rows.last,
    exceeds: rows.exceeds,
    keptBehind: rows.keptBehind,
    /** Removes up to `limit` of the oldest ended scrapes beyond the newest `keep`. Returns the number of removed scrapes. */
    trim: (keep: number, limit: number) =>
      rows.trim(keep, limit, ({ target, scrape, status }) => {
        if (status === 'running' || status === 'waiting') return 'stays';
        byTarget.remove([target, scrape]);
        return undefined;
      }),
  };

  function known(scrape: number): readonly ScrapeRow[] {
    const row = rows.get(scrape);
    return row === undefined ? [] : [row];
  }
}
