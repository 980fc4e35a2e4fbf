import type { GuardState, LoopReport } from '../../frontier/loop-guard.ts';
import type { LinkRefusal } from '../../frontier/links.ts';
import type { CrawlView } from '../../view/crawl.ts';
import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { FrontierPlace } from './frontier.ts';
import { type NumberRange, table } from '../lmdb/table.ts';

/** The class under which a page of a crawl is counted. */
export type StatusClass = '1xx' | '2xx' | '304' | '3xx' | '4xx' | '5xx' | 'listed' | 'failed' | 'forbidden';

/** The last readable page of each kind. */
export type LastRead = Readonly<Partial<Record<FrontierPlace['kind'], FrontierPlace>>>;

/** What a person sees of a crawl, and what its walk needs besides. */
export interface CrawlRow extends Omit<CrawlView, 'source' | 'durationMs' | 'loop' | 'status' | 'refused'> {
  /** The number of the scrape that began it; scrapes that resumed it have higher numbers. */
  readonly firstScrape: number;
  /** Set if a person asked for all pages to be read, including those that have not changed. */
  readonly full?: true;
  /** Set when the loop guard ended it. */
  readonly loop?: LoopReport;
  readonly status: Readonly<Partial<Record<StatusClass, number>>>;
  readonly refused: Readonly<Partial<Record<LinkRefusal, number>>>;
  /** Links of its starts and sitemaps that lead to pages of the site. */
  readonly startLinks: number;
  /** `seq` of the last place that was added. */
  readonly seq: number;
  /** Missing after its end. */
  readonly guard?: GuardState;
  /** The last readable page of each kind; missing before the first, and after the crawl's end. */
  readonly lastRead?: LastRead;
  /** Scrapes in a row that ended because the site was down; missing before the first, and after its end. */
  readonly downs?: number;
}

/** The crawls of each target; the newest may be under way. */
export type CrawlTable = ReturnType<typeof crawlTable>;

/** Opens the table; its writes throw outside a transaction. */
export function crawlTable(environment: Environment) {
  /** The newest crawl of each target, whose row changes with each of its pages. */
  const newest = heldTable<number, CrawlRow>(environment, 'crawls.newest');
  /** The crawls before it. */
  const older = table<[target: number, crawl: number], CrawlRow>(environment, 'crawls');

  return {
    get(target: number, crawl: number): CrawlRow | undefined {
      const row = newest.get(target);
      return row?.crawl === crawl ? row : older.get([target, crawl]);
    },
    /** Writes the newest crawl of a target; the one before stays as an older one. */
    put(row: CrawlRow): void {
      const before = newest.get(row.target);
      if (before !== undefined && before.crawl !== row.crawl) older.put([before.target, before.crawl], before);
      newest.put(row.target, row);
    },
    /** The newest crawl, under way or ended. */
    newest: newest.get,
    /** The crawls of a target, the newest first. */
    *ofTarget(target: number, { before = Infinity, limit = Infinity }: Omit<NumberRange, 'after'> = {}) {
      const row = newest.get(target);
      const first = row !== undefined && row.crawl < before ? [row].slice(0, limit) : [];
      yield* first;
      yield* older.rows({
        after: [target, 0],
        before: [target, before],
        newestFirst: true,
        limit: limit === Infinity ? undefined : limit - first.length,
      });
    },
    /** Removes up to `limit` crawls of a target, the newest one last. Returns the number of removed crawls. */
    clear(target: number, limit: number): number {
      const removed = older.removeRange({ from: [target, 0], before: [target + 1, 0], limit });
      return removed === limit ? limit : removed + Number(newest.remove(target));
    },
    /** Removes an older crawl of a target. */
    remove: (target: number, crawl: number) => older.remove([target, crawl]),
  };
}
