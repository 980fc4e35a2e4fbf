import type { GuardState, LoopReport } from '../frontier/loop-guard.ts';
import { defined } from '../defined.ts';
import { sweepCopies } from './copies.ts';
import { writeInSlices } from './slices.ts';
import type { Store } from './store.ts';
import type { CrawlRow, CrawlTable, StatusClass } from './tables/crawls.ts';
import { fillSum } from '../health/field-fill.ts';
import type { CrawlEndReason } from '../view/crawl.ts';
import type { FrontierTable, FrontierPlace, FrontierRow } from './tables/frontier.ts';
import type { Fence } from './ops.ts';
import type { DomainCount } from '../frontier/links.ts';

/** The changes of a step to its crawl's frontier and counts. Data, made by pure functions. */
export interface CrawlOps {
  /** Begins a crawl; a crawl that is still under way ends as `replaced`. */
  readonly begin?: Pick<CrawlRow, 'version' | 'firstScrape' | 'startedAt' | 'maxPages' | 'full'>;
  /** The place that the step asked. It leaves the frontier in the commit of its records, so that it is asked once. */
  readonly done?: WaitingPlace;
  /** The place that the step asked, where its page could be read. */
  readonly read?: FrontierPlace;
  /** Waiting places whose requests failed for good: they leave the frontier as done. */
  readonly failed?: readonly FrontierPlace[];
  /** Places whose requests failed because the site was down: they wait on, behind the others of their kind. */
  readonly back?: readonly FrontierPlace[];
  /** Scrapes in a row that met the site down. */
  readonly downs?: number;
  /** Set where the page was read and a sitemap says that it has not changed since it was read before: if it has, sitemaps are not believed for a while. */
  readonly contradicts?: true;
  /**
   * New places; those that the crawl has met are left out. Very many links of a page are added by several commits, the
   * last with `done`.
   */
  readonly add: readonly NewPlace[];
  /** Keys that the crawl met in another way, such as the address a redirect led to. */
  readonly seen?: readonly string[];
  readonly tally?: CrawlTally;
  /** For a page that is there to lead on: how many other pages of the site it leads to. Not stored. */
  readonly leads?: number;
  readonly guard?: GuardState;
  /** Ends the crawl; the rest of its frontier is not asked. */
  readonly end?: { readonly at: number; readonly reason: CrawlEndReason; readonly loop?: LoopReport };
}

type WaitingPlace = Pick<FrontierPlace, 'kind' | 'seq'>;

/** A page for the frontier of a crawl. */
export interface NewPlace extends FrontierRow {
  readonly kind: FrontierPlace['kind'];
  /** The key of its request, from `requestKey`. */
  readonly key: string;
}

/** A crawl after a step, and what the step added. */
export interface CrawlResult {
  readonly crawl: CrawlRow;
  readonly added: number;
  /** Domains that were linked to for the first time. */
  readonly newDomains: readonly string[];
}

/** The tables of crawls and their frontiers. */
export type CrawlTables = Pick<Store, 'frontier' | 'crawls'>;

/** The time in ms for which no page is left out because of its sitemap, once a page had changed that its sitemap called unchanged: 30 days. */
const distrustedMs = 30 * 86_400_000;

/** Crawls of a target that are kept. */
const keptCrawls = 20;

/**
 * Applies a step to its crawl. To be called within a transaction. Throws when the target has no crawl under way or a
 * place does not wait.
 *
 * @param at - wall time of the step; needed where it contradicts a sitemap.
 */
export function applyCrawl(store: CrawlTables, target: number, ops: CrawlOps, at = 0): CrawlResult {
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
      ...defined({
        guard: ops.guard,
        lastRead: ops.read === undefined ? undefined : { ...tallied.lastRead, [ops.read.kind]: ops.read },
        downs: ops.downs,
        distrustedUntil: ops.contradicts && at + distrustedMs,
      }),
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
    ...{ pages: 0, recordPages: 0, records: 0, newRecords: 0, changed: 0, errors: 0, forbidden: 0, bytes: 0 },
    ...{ status: {}, refused: {}, offsite: [], tooDeep: 0, startLinks: 0, overBudget: 0, fieldFill: {} },
    ...{ waiting: { detail: 0, listing: 0 }, seq: 0 },
    ...defined({ distrustedUntil: last?.distrustedUntil }),
  };
}

function withDone(frontier: FrontierTable, row: CrawlRow, done: WaitingPlace): CrawlRow {
  removePlace(frontier, row, done);
  return {
    ...row,
    pages: row.pages + 1,
    waiting: { ...row.waiting, [done.kind]: row.waiting[done.kind] - 1 },
  };
}

function withBack(frontier: FrontierTable, row: CrawlRow, back: readonly FrontierPlace[]): CrawlRow {
  let { seq } = row;
  for (const place of back) {
    removePlace(frontier, row, place);
    seq += 1;
    frontier.add(row.target, row.crawl, { ...place, seq });
  }
  return { ...row, seq };
}

function removePlace(frontier: FrontierTable, { target, crawl }: CrawlRow, { kind, seq }: WaitingPlace): void {
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
    ...defined({ loop: end.loop }),
  };
}

/**
 * The next places for a target's crawl to ask: pages with records first, without the places in `except` (by `seq`), and
 * no more than its budget of pages has left.
 */
export function nextPlaces(
  { frontier, crawls }: CrawlTables,
  target: number,
  { except, limit }: { readonly except: ReadonlySet<number>; readonly limit: number },
): FrontierPlace[] {
  const row = crawls.newest(target);
  if (row === undefined || row.endReason !== undefined) return [];
  const some = Math.min(limit, row.maxPages - row.pages - except.size);
  if (some <= 0) return [];
  const places = [...frontier.ofCrawl(target, row.crawl, some + except.size)];
  return places.filter(({ seq }) => !except.has(seq)).slice(0, some);
}

/**
 * Places that a crawl knows of and has not visited. At the end of a crawl with none left to ask, its budget was too
 * small for them.
 */
export function unvisited({ waiting, overBudget }: CrawlRow): number {
  return waiting.detail + waiting.listing + overBudget;
}

/** Whether a target's newest crawl has met a request, by its key. */
export function isSeen({ frontier, crawls }: CrawlTables, target: number, key: string): boolean {
  const row = crawls.newest(target);
  return row !== undefined && frontier.isSeen(target, row.crawl, key);
}

/** The inputs of a crawl that begins or resumes. */
export interface CrawlStart {
  /** Version of the definition. */
  readonly version: string;
  readonly maxPages: number;
  /** The places where a new crawl begins. */
  readonly places: readonly NewPlace[];
  /** Whether to begin a new crawl even if the last one was cut short, and to read all pages whether they have changed or not. */
  readonly full: boolean;
}

/**
 * Returns the crawl for a scrape that has just begun: the last one if it was cut short and walks by the same
 * definition, else a new one. Returns `undefined` when the scrape is superseded. Rejects with `StoreFullError` when the
 * store has no room.
 */
export function beginCrawl(
  store: Store,
  { target, epoch, scrape }: Omit<Fence, 'step'>,
  { version, maxPages, places, full }: CrawlStart,
): Promise<CrawlRow | undefined> {
  return store.write((change) => {
    const row = store.targets.get(target);
    if (row?.epoch !== epoch || row.running !== scrape) return undefined;
    const last = store.crawls.newest(target);
    if (last !== undefined && last.endReason === undefined && last.version === version && !full) return last;
    const begin = { version, firstScrape: scrape, startedAt: change.at, maxPages, ...(full && { full }) };
    const { crawl } = applyCrawl(store, target, { begin, add: places });
    return crawl;
  });
}

/** Rows per transaction: commits wait a few milliseconds at most. */
const batch = 1_000;

/**
 * Removes the rest of a target's ended crawls: places that were not visited, what the crawls before the newest one have met, and copies of
 * pages that a complete crawl did not meet. Only the size of the store depends on it. Works also when the store is full. Resolves with the number of removed
 * rows; rejects when a commit fails.
 */
export async function sweepCrawls(store: Store, target: number): Promise<number> {
  const row = store.crawls.newest(target);
  if (row === undefined) return 0;
  const isOver = row.endReason !== undefined;
  const before = isOver ? row.crawl + 1 : row.crawl;
  if (row.endReason === 'complete') await sweepCopies(store, row);
  const places = await writeInSlices(store, batch, () => store.frontier.removePlaces(target, before, batch));
  return places + (await writeInSlices(store, batch, () => store.frontier.removeMarks(target, row.crawl, batch)));
}

/** The counts that one page adds to its crawl. A page that was counted wrongly is subtracted by negative counts. */
export interface CrawlTally extends Partial<
  Pick<
    CrawlRow,
    | 'records'
    | 'recordPages'
    | 'newRecords'
    | 'changed'
    | 'errors'
    | 'forbidden'
    | 'bytes'
    | 'refused'
    | 'offsite'
    | 'tooDeep'
    | 'startLinks'
    | 'fieldFill'
  >
> {
  /** Answers by class; a redirect is an answer. */
  readonly status?: Readonly<Partial<Record<StatusClass, number>>>;
}

type Counts = Readonly<Partial<Record<string, number>>>;

/** Domains that a crawl names. */
const maxDomains = 50;

const counted = [
  ...(['records', 'recordPages', 'newRecords', 'changed', 'errors', 'forbidden'] as const),
  ...(['bytes', 'tooDeep', 'startLinks'] as const),
];

/** The counts of a crawl with those of one more page. */
export function addTally(row: CrawlRow, tally: CrawlTally): CrawlRow {
  const counts: Partial<Record<(typeof counted)[number], number>> = {};
  for (const name of counted) {
    const more = tally[name] ?? 0;
    if (more !== 0) counts[name] = row[name] + more;
  }
  return {
    ...row,
    ...counts,
    status: sumOf(row.status, tally.status),
    refused: sumOf(row.refused, tally.refused),
    offsite: domainSum(row.offsite, tally.offsite ?? []),
    fieldFill: fillSum(row.fieldFill, tally.fieldFill ?? {}),
  };
}

function sumOf(sums: Counts, more: Counts = {}): Counts {
  const result: Record<string, number | undefined> = { ...sums };
  for (const [key, count = 0] of Object.entries(more)) result[key] = (result[key] ?? 0) + count;
  return result;
}

/** Adds links per domain. A domain beyond the first 50 is counted among the refused links only. */
function domainSum(sums: readonly DomainCount[], more: readonly DomainCount[]): readonly DomainCount[] {
  if (more.length === 0) return sums;
  const result = new Map(sums.map(({ domain, links }) => [domain, links]));
  for (const { domain, links } of more) {
    if (result.has(domain) || result.size < maxDomains) result.set(domain, (result.get(domain) ?? 0) + links);
  }
  return Array.from(result, ([domain, links]) => ({ domain, links }));
}
