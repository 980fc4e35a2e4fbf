import type { GuardState, LoopReport } from '../../frontier/loop-guard.ts';
import type { LinkRefusal } from '../../frontier/links.ts';
import type { CrawlView } from '../../view/crawl.ts';
import type { Environment } from '../lmdb/environment.ts';
import type { FrontierPlace } from './frontier.ts';
import { type NumberRange, table } from '../lmdb/table.ts';

/** The class under which a page of a crawl is counted. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'failed' | 'forbidden';

/** The last readable page of each kind. */
export type LastRead = Readonly<Partial<Record<FrontierPlace['kind'], FrontierPlace>>>;

/** What a person sees of a crawl, and what its walk needs besides. */
export interface CrawlRow extends Omit<CrawlView, 'source' | 'durationMs' | 'loop' | 'status' | 'refused'> {
  /** The number of the scrape that began it; scrapes that resumed it have higher numbers. */
  readonly firstScrape: number;
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
  const rows = table<[target: number, crawl: number], CrawlRow>(environment, 'crawls');
  /**
   * The newest crawls that the running transaction knows, by target. The pages of one crawl share transactions, so its
   * row is read and written once for all of its pages.
   */
  const held = new Map<number, CrawlRow>();
  const changed = new Set<number>();
  environment.onLastChange(() => {
    release();
    held.clear();
  });
  environment.onUndone(() => {
    held.clear();
    changed.clear();
  });

  return {
    get(target: number, crawl: number): CrawlRow | undefined {
      release();
      return rows.get([target, crawl]);
    },
    /** Writes the newest crawl of a target. */
    put(row: CrawlRow): void {
      if (!environment.isWriting()) throw new Error('crawls: expected to be written within a transaction');
      if (held.get(row.target)?.crawl !== row.crawl) release();
      held.set(row.target, row);
      changed.add(row.target);
    },
    /** The newest crawl, under way or ended. */
    newest(target: number): CrawlRow | undefined {
      const row = held.get(target);
      if (row !== undefined) return row;
      for (const newest of ofTarget(target, { limit: 1 })) {
        if (environment.isWriting()) held.set(target, newest);
        return newest;
      }
      return undefined;
    },
    ofTarget(target: number, range?: Omit<NumberRange, 'after'>): Iterable<CrawlRow> {
      release();
      return ofTarget(target, range);
    },
    /** Removes an older crawl of a target. */
    remove: (target: number, crawl: number) => rows.remove([target, crawl]),
  };

  /** Writes what was changed, which is nothing outside a transaction. */
  function release(): void {
    for (const target of changed) {
      const row = held.get(target);
      if (row !== undefined) rows.put([target, row.crawl], row);
    }
    changed.clear();
  }

  /** The crawls of a target, the newest first. */
  function ofTarget(target: number, { before = Infinity, limit }: Omit<NumberRange, 'after'> = {}): Iterable<CrawlRow> {
    return rows.rows({ after: [target, 0], before: [target, before], newestFirst: true, limit });
  }
}
