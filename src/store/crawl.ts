import type { GuardState, LoopReport } from '../frontier/guard.ts';
import { addTally, type CrawlTally } from './crawl-tally.ts';
import type { Store } from './store.ts';
import type { CrawlEndReason, CrawlRow, CrawlTable } from './tables/crawls.ts';
import type { FrontierTable, Place, PlaceRow } from './tables/frontier.ts';

/** What a step of a crawl does to its frontier and its counts, as data made by pure functions. */
export interface CrawlOps {
  /** Begins a crawl; one that is under way still is `replaced`. */
  readonly begin?: Pick<CrawlRow, 'version' | 'firstScrape' | 'startedAt' | 'maxPages'>;
  /** The place that the step was about. It leaves the frontier with the commit of its records, so that it is asked once. */
  readonly done?: WaitingPlace;
  /** Set where its page was read. */
  readonly read?: Place;
  /** Places that were asked in vain and that are waiting still: they are done as well. */
  readonly failed?: readonly Place[];
  /** Places that were asked in vain since the site was down: they wait on, after the others of their kind. */
  readonly back?: readonly Place[];
  /** How many scrapes, one after the other, have met the site down now. */
  readonly downs?: number;
  /** Those that the crawl has met are left out; so very many links of one page are added by several commits, the last with `done`. */
  readonly add: readonly NewPlace[];
  /** Keys that the crawl has met by another way, such as where a redirect led to. */
  readonly seen?: readonly string[];
  readonly tally?: CrawlTally;
  readonly guard?: GuardState;
  /** Ends the crawl; what is left of its frontier is no longer read. */
  readonly end?: { readonly at: number; readonly reason: CrawlEndReason; readonly loop?: LoopReport };
}

type WaitingPlace = Pick<Place, 'kind' | 'seq'>;

export interface NewPlace extends PlaceRow {
  readonly kind: Place['kind'];
  /** What tells one request from another, as `requestKey` makes it. */
  readonly key: string;
}

export interface CrawlResult {
  readonly crawl: CrawlRow;
  readonly added: number;
  /** Other domains that were linked to for the first time, to be told once. */
  readonly newDomains: readonly string[];
}

export type CrawlTables = Pick<Store, 'frontier' | 'crawls'>;

/** How many crawls of a target are remembered. */
const keptCrawls = 20;

/** Applies what a step of a crawl does. Runs within a transaction; throws when there is no such crawl or place. */
export function applyCrawl(store: CrawlTables, target: number, ops: CrawlOps): CrawlResult {
  const before = ops.begin === undefined ? underWay(store.crawls, target) : begun(store.crawls, target, ops.begin);
  const places = [...(ops.done === undefined ? [] : [ops.done]), ...(ops.failed ?? [])];
  const done = places.reduce((row, place) => withDone(store.frontier, row, place), before);
  const counted = withBack(store.frontier, done, ops.back ?? []);
  for (const key of ops.seen ?? []) store.frontier.see(target, before.crawl, key);
  const grown = withPlaces(store.frontier, counted, ops.add);
  const tallied = ops.tally === undefined ? grown : addTally(grown, ops.tally);
  const crawl = withEnd(
    {
      ...tallied,
      ...(ops.guard !== undefined && { guard: ops.guard }),
      ...(ops.read !== undefined && { lastRead: { ...tallied.lastRead, [ops.read.kind]: ops.read } }),
      ...(ops.downs !== undefined && { downs: ops.downs }),
    },
    ops.end,
  );
  store.crawls.put(crawl);
  return {
    crawl,
    added: crawl.seq - before.seq - (ops.back?.length ?? 0),
    newDomains: crawl.offsite.slice(before.offsite.length).map(({ domain }) => domain),
  };
}

function underWay(crawls: CrawlTable, target: number): CrawlRow {
  const row = crawls.newest(target);
  if (row === undefined || row.endReason !== undefined) {
    throw new Error(`target ${target}: expected a crawl under way, got ${row?.endReason ?? 'none'}`);
  }
  return row;
}

function begun(crawls: CrawlTable, target: number, begin: NonNullable<CrawlOps['begin']>): CrawlRow {
  const last = crawls.newest(target);
  if (last !== undefined && last.endReason === undefined) {
    crawls.put(withEnd(last, { at: begin.startedAt, reason: 'replaced' }));
  }
  const crawl = (last?.crawl ?? 0) + 1;
  crawls.remove(target, crawl - keptCrawls);
  return {
    target,
    crawl,
    ...begin,
    ...{ pages: 0, detailPages: 0, records: 0, newRecords: 0, changed: 0, errors: 0, forbidden: 0, bytes: 0 },
    ...{ status: {}, refused: {}, offsite: [], tooDeep: 0, startLinks: 0, overBudget: 0, fieldFill: {} },
    ...{ waiting: { detail: 0, listing: 0 }, seq: 0 },
  };
}

function withDone(frontier: FrontierTable, row: CrawlRow, done: WaitingPlace): CrawlRow {
  leave(frontier, row, done);
  return {
    ...row,
    pages: row.pages + 1,
    detailPages: row.detailPages + (done.kind === 'detail' ? 1 : 0),
    waiting: { ...row.waiting, [done.kind]: row.waiting[done.kind] - 1 },
  };
}

function withBack(frontier: FrontierTable, row: CrawlRow, back: readonly Place[]): CrawlRow {
  let { seq } = row;
  for (const place of back) {
    leave(frontier, row, place);
    seq += 1;
    frontier.add(row.target, row.crawl, { ...place, seq });
  }
  return { ...row, seq };
}

function leave(frontier: FrontierTable, { target, crawl }: CrawlRow, { kind, seq }: WaitingPlace): void {
  if (frontier.remove(target, crawl, { kind, seq })) return;
  throw new Error(`target ${target}: expected ${kind} place ${seq} to be waiting in crawl ${crawl}`);
}

function withPlaces(frontier: FrontierTable, row: CrawlRow, places: readonly NewPlace[]): CrawlRow {
  const { target, crawl, maxPages, pages } = row;
  const waiting = { ...row.waiting };
  let { seq, overBudget } = row;
  for (const { key, ...place } of places) {
    // All that comes before it uses the budget up: it would never be asked, so it is not kept.
    const before = pages + waiting.detail + (place.kind === 'listing' ? waiting.listing : 0);
    if (before >= maxPages) {
      if (!frontier.isSeen(target, crawl, key)) overBudget += 1;
    } else if (frontier.see(target, crawl, key)) {
      seq += 1;
      waiting[place.kind] += 1;
      frontier.add(target, crawl, { ...place, seq });
    }
  }
  return { ...row, seq, overBudget, waiting };
}

function withEnd(row: CrawlRow, end: CrawlOps['end']): CrawlRow {
  if (end === undefined) return row;
  const { guard: _, lastRead: __, downs: ___, ...rest } = row;
  return {
    ...rest,
    endedAt: end.at,
    endReason: end.reason,
    ...(end.loop !== undefined && { loop: end.loop }),
  };
}

/**
 * The places that a target's crawl is to ask next, pages with records first, without those that are being asked, by `seq`; never
 * more than its budget of pages has left.
 */
export function nextPlaces(
  { frontier, crawls }: CrawlTables,
  target: number,
  { except, limit }: { readonly except: ReadonlySet<number>; readonly limit: number },
): Place[] {
  const row = crawls.newest(target);
  if (row === undefined || row.endReason !== undefined) return [];
  const some = Math.min(limit, row.maxPages - row.pages - except.size);
  if (some <= 0) return [];
  const places = [...frontier.ofCrawl(target, row.crawl, some + except.size)];
  return places.filter(({ seq }) => !except.has(seq)).slice(0, some);
}

/** How many places a crawl knows of that it has not visited; with none left to ask, its budget was too small for them. */
export function unvisited({ waiting, overBudget }: CrawlRow): number {
  return waiting.detail + waiting.listing + overBudget;
}

/** Whether a target's crawl has met a request, by its key. */
export function isSeen({ frontier, crawls }: CrawlTables, target: number, key: string): boolean {
  const row = crawls.newest(target);
  return row !== undefined && frontier.isSeen(target, row.crawl, key);
}
