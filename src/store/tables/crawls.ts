import type { GuardState, LoopReport } from '../../frontier/guard.ts';
import type { DomainCount, Refusal } from '../../frontier/links.ts';
import type { Environment } from '../environment.ts';
import type { Place } from './frontier.ts';
import { table } from './table.ts';

/** How a crawl ended. `replaced` when another one was begun before it had. */
export type CrawlEndReason = 'complete' | 'loop' | 'budget' | 'errors' | 'failed' | 'cancelled' | 'replaced';

/** A field, and in how many of the records that were read it was found. */
export interface FieldFill {
  readonly seen: number;
  readonly total: number;
}

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'failed' | 'forbidden';

export type LastRead = Readonly<Partial<Record<Place['kind'], Place>>>;

/** What a crawl has done so far. */
export interface CrawlRow {
  readonly target: number;
  /** Counts up from 1 for each target. */
  readonly crawl: number;
  /** Of the definition that it walks by to its end, whatever is deployed meanwhile. */
  readonly version: string;
  /** The scrape that began it; those after it that went on with it have higher numbers. */
  readonly firstScrape: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly endReason?: CrawlEndReason;
  /** Set when it was taken for endless. */
  readonly loop?: LoopReport;
  /** Places that are done, with or without an answer that could be read. */
  readonly pages: number;
  readonly maxPages: number;
  readonly detailPages: number;
  readonly records: number;
  /** Records that this crawl met for the first time. */
  readonly newRecords: number;
  /** Records of which a field changed. */
  readonly changed: number;
  readonly errors: number;
  /** Pages that may hold records and that robots.txt asks to leave alone. */
  readonly forbidden: number;
  readonly bytes: number;
  readonly status: Readonly<Partial<Record<StatusClass, number>>>;
  /** Links that were not followed, by reason. */
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  /** Other domains that were linked to; at most 50. */
  readonly offsite: readonly DomainCount[];
  /** Links that were not followed since they lay too deep. */
  readonly tooDeep: number;
  /** Links of its starts and sitemaps that lead to pages of the site. */
  readonly startLinks: number;
  /** Links that were not kept since the budget of pages will be used up before their turn; places that are `waiting` at its end were kept in vain. */
  readonly overBudget: number;
  /** By record type and field, as `product.price`. */
  readonly fieldFill: Readonly<Record<string, FieldFill>>;
  /** Places that are not done. */
  readonly waiting: { readonly detail: number; readonly listing: number };
  /** Of the last place that was added. */
  readonly seq: number;
  /** Missing after its end. */
  readonly guard?: GuardState;
  /** Of each kind, the last page that could be read, whatever came after it; missing as long as none could, and after its end. */
  readonly lastRead?: LastRead;
  /** How many of its scrapes, one after the other, ended as the site was down; missing before the first, and after its end. */
  readonly downs?: number;
}

/** The crawls of each target, of which the newest may be under way. */
export interface CrawlTable {
  get(target: number, crawl: number): CrawlRow | undefined;
  put(row: CrawlRow): void;
  /** The newest crawl, under way or ended. */
  newest(target: number): CrawlRow | undefined;
  /** The newest first. */
  ofTarget(target: number, slice?: { readonly before?: number; readonly limit?: number }): Iterable<CrawlRow>;
  remove(target: number, crawl: number): boolean;
}

export function crawlTable(environment: Environment): CrawlTable {
  const rows = table<[target: number, crawl: number], CrawlRow>(environment, 'crawls');

  return {
    get: (target, crawl) => rows.get([target, crawl]),
    put: (row) => rows.put([row.target, row.crawl], row),
    newest(target) {
      for (const row of ofTarget(target, { limit: 1 })) return row;
      return undefined;
    },
    ofTarget,
    remove: (target, crawl) => rows.remove([target, crawl]),
  };

  function ofTarget(
    target: number,
    { before = Infinity, limit }: { readonly before?: number; readonly limit?: number } = {},
  ): Iterable<CrawlRow> {
    return rows.rows({
      after: [target, 0],
      before: [target, before],
      newestFirst: true,
      ...(limit !== undefined && { limit }),
    });
  }
}
