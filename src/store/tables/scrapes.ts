import type { Environment } from '../environment.ts';
import type { ScrapeRow } from '../rows.ts';
import { numberedTable } from './numbered.ts';
import { table } from './table.ts';

/** A slice of a list of scrapes, the newest first; `before` is the number of the last one of the slice before. */
export interface ScrapeSlice {
  readonly before?: number;
  readonly limit?: number;
}

/** Every scrape, by number. */
export interface ScrapeTable {
  get(scrape: number): ScrapeRow | undefined;
  add(make: (scrape: number) => ScrapeRow): ScrapeRow;
  /** Stores a scrape that is known already, of the same status as before. */
  put(row: ScrapeRow): void;
  /** Stores a scrape that begins to run, or ends. */
  move(row: ScrapeRow): void;
  rows(slice?: ScrapeSlice): Iterable<ScrapeRow>;
  ofTarget(target: number, slice?: ScrapeSlice): Iterable<ScrapeRow>;
  /** Those that are under way. */
  running(): Iterable<ScrapeRow>;
  last(): number;
  /** Removes up to `limit` of the oldest that have ended, beyond the newest `keep`; how many that were. */
  trim(keep: number, limit: number): number;
}

export function scrapeTable(environment: Environment): ScrapeTable {
  const rows = numberedTable<ScrapeRow>(environment, 'scrapes');
  const byTarget = table<[number, number], 1>(environment, 'scrapes.by_target');
  const running = table<number, 1>(environment, 'scrapes.running');

  return {
    get: rows.get,
    add(make) {
      const row = rows.add(make);
      byTarget.put([row.target, row.scrape], 1);
      if (row.status === 'running') running.put(row.scrape, 1);
      return row;
    },
    put: (row) => rows.put(row.scrape, row),
    move(row) {
      rows.put(row.scrape, row);
      if (row.status === 'running') running.put(row.scrape, 1);
      else running.remove(row.scrape);
    },
    rows: (slice = {}) => rows.rows({ ...slice, newestFirst: true }),
    *ofTarget(target, { before = Infinity, limit } = {}) {
      const range = { after: [target, 0], before: [target, before] } satisfies Record<string, [number, number]>;
      yield* numbered(
        byTarget.keys({ ...range, newestFirst: true, ...(limit !== undefined && { limit }) }),
        ([, scrape]) => scrape,
      );
    },
    running: () => numbered(running.keys(), (scrape) => scrape),
    last: rows.last,
    trim: (keep, limit) =>
      rows.trim(keep, limit, ({ target, scrape, status }) => {
        if (status === 'running' || status === 'waiting') return 'stays';
        byTarget.remove([target, scrape]);
        return undefined;
      }),
  };

  function* numbered<K>(keys: Iterable<K>, numberOf: (key: K) => number): Generator<ScrapeRow> {
    for (const key of keys) {
      const row = rows.get(numberOf(key));
      if (row !== undefined) yield row;
    }
  }
}
