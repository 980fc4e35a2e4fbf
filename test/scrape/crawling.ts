import { hash } from 'node:crypto';
import type { LoadedSource } from '../../src/definition/catalogue.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openWalk } from '../../src/scrape/open-walk.ts';
import { systemClock } from '../../src/clock.ts';
import type { RequestResult, RequestIntent } from '../../src/request/intent.ts';
import { runScrape, type ScrapeDeps } from '../../src/scrape/run.ts';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import type { StepOps } from '../../src/store/ops.ts';
import type { ScrapeRow } from '../../src/store/tables/rows.ts';
import type { RecordView } from '../../src/view/record.ts';
import type { ScrapeWish } from '../../src/view/scrape.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import type { CrawlRow } from '../../src/store/tables/crawls.ts';
import { track } from '../store/fixture.ts';
import { draft, type PageAnswer, visitedAs } from './walking.ts';

export const shop = 'https://shop.test/';

/** A page of a site: the paths that it links to, and the records that it holds. */
export type SitePage =
  | PageAnswer
  /** What we did or lack kept it from being read: the code of that failure. */
  | { readonly own: string }
  | {
      readonly to: readonly string[];
      readonly holds?: readonly string[];
      readonly price?: number;
      /** Whoever asks with this gets no page. */
      readonly etag?: string | undefined;
    };

/** What a path of the site answers; a path without an answer is not there. */
export type Site = (path: string) => SitePage | undefined;

export interface CrawlRun {
  readonly crawl?: string;
  readonly politeness?: string;
  readonly version?: string;
  readonly wish?: ScrapeWish;
  readonly maxRecords?: number;
  /** Wall time of the crawl. Default: the system's, while pages come soon after the epoch. */
  readonly now?: number;
  /** Ends this process' work, as a kill does, when so many pages were asked. */
  readonly killedAfter?: number;
  /** Called with each step before it is written. */
  readonly onStep?: (ops: StepOps) => void;
  /** Ends this process' work when all pages are written and the scrape is not closed yet. */
  readonly killedAtEnd?: true;
}

export interface CrawlReport {
  /** Paths in the order in which they were asked for. */
  readonly asked: readonly string[];
  /** The most requests that were under way at once. */
  readonly width: number;
  readonly scrape: ScrapeRow;
  readonly row: CrawlRow;
}

/** Each page comes at an instant of its own. */
let instant = 0;

/** Crawls the shop of a target by a real store, with requests that answer at once. */
export async function crawl(store: Store, target: number, site: Site, run: CrawlRun = {}): Promise<CrawlReport> {
  const { version = 'v1', killedAfter = Infinity } = run;
  const loaded = sourceOf(run, version);
  const row = store.targets.get(target);
  const began = await beginScrape(store, target, version);
  if (row === undefined || !began.ok) throw new Error(`target ${target} cannot be scraped`);
  const clock = systemClock();
  const walk = await openWalk(
    store,
    { target: row, loaded, fence: began.fence, wish: run.wish ?? began.wish },
    () => run.now ?? clock.now(),
  );
  if (walk === undefined) throw new Error('superseded');
  const asked: string[] = [];
  const killed = new AbortController();
  let [underWay, width] = [0, 0];
  const makeRequest = async ({ step }: RequestIntent) => {
    if (asked.length >= killedAfter) killed.abort();
    killed.signal.throwIfAborted();
    const { url } = step.request;
    asked.push(url.slice(shop.length - 1));
    underWay += 1;
    width = Math.max(width, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    const page = site(url.slice(shop.length - 1));
    instant += 1;
    if (typeof page === 'object' && 'own' in page) return ownFailure(page.own, instant);
    const etag = typeof page === 'object' && 'etag' in page ? page.etag : undefined;
    const isSame = etag !== undefined && etag === step.request.validators?.etag;
    const { result } = visitedAs(isSame ? 'unmodified' : answerOf(page, url), url);
    const validators = etag !== undefined && { validators: { etag } };
    return { ...result, outcome: { ...result.outcome, ...validators, at: (run.now ?? 0) + instant } };
  };
  const begun = { ...began.fence, address: 'https://site.test/', version, dueAt: 0, nextDueAt: Infinity };
  const deps: ScrapeDeps = {
    clock,
    random: () => 0.5,
    makeRequest,
    timeLimitMs: 60_000,
    ...(run.maxRecords !== undefined && { maxRecords: run.maxRecords }),
    commit(fence, ops) {
      run.onStep?.(ops);
      return commitStep(store, fence, ops);
    },
    async close(fence, close) {
      if (run.killedAtEnd === true) killed.abort();
      killed.signal.throwIfAborted();
      return closeScrape(store, fence, close);
    },
  };
  await runScrape(begun, loaded.source, walk, deps, killed.signal).catch((error: unknown) => {
    if (!killed.signal.aborted) throw error;
  });
  const scrape = store.scrapes.get(began.fence.scrape);
  const after = store.crawls.newest(target);
  if (scrape === undefined || after === undefined) throw new Error('nothing was crawled');
  return { asked, width, scrape, row: after };
}

function sourceOf({ crawl: rules = '', politeness = '' }: CrawlRun, version: string): LoadedSource {
  const yaml = `id: shop
retry: { times: 0 }
politeness: { ${politeness} }
crawl: { detail: [/p/], ${rules} }
records: { item: { key: id, fields: { id: { css: h1 }, price: { css: b, type: number } } } }
`;
  const parsed = parseSource(yaml, 'shop.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { source: parsed.value, version };
}

function ownFailure(code: string, at: number): RequestResult {
  const failure = { code, message: code };
  const outcome = { kind: 'failed', failure, at, elapsedMs: 1, bytes: 0 } as const;
  return { outcome, trouble: { cause: 'unexpected', message: code }, generation: 0, wasAsked: true, waitedMs: 0 };
}

function answerOf(page: Exclude<ReturnType<Site>, { readonly own: string }>, url: string): PageAnswer {
  if (page === undefined) return { cause: 'not_found', status: 404 };
  if (typeof page !== 'object' || !('to' in page)) return page;
  const { to, holds = [], price = 1 } = page;
  return {
    drafts: holds.map((key) => draft(key, { price })),
    items: holds.length,
    links: to.map((path) => new URL(path, shop).href),
    // Of a page that is like no other.
    fingerprint: hash('sha256', url, 'hex').slice(0, 16),
  };
}

export const lists = Array.from({ length: 19 }, (_, index) => `/c/${index}`);

/** 200 pages: a start, 19 lists that name each other and 180 articles. */
export const finite: Site = (path) => {
  const [area, number = ''] = path.split('/').slice(1);
  if (path === '/') return { to: lists };
  if (area === 'p') return { to: ['/', `/c/${Number(number) % 19}`, 'https://partner.test/'], holds: [number] };
  const articles = Array.from({ length: 180 }, (_, index) => index).filter((index) => index % 19 === Number(number));
  return { to: [...lists, ...articles.map((index) => `/p/${index}`)] };
};

/** A start that links to articles, each of which may answer in another way. */
export const shopOf =
  (articles: readonly string[], others: Readonly<Record<string, ReturnType<Site>>> = {}): Site =>
  (path) => {
    if (Object.hasOwn(others, path)) return others[path];
    if (path === '/') return { to: articles.map((key) => `/p/${key}`) };
    return { to: [], holds: [path.slice('/p/'.length)] };
  };

/** Tracks the shop. */
export async function shopTarget(store: Store, id = 'all'): Promise<number> {
  const [target = 0] = await track(store, id, shop);
  return target;
}

/** What is known of an item. */
export function recordOf(store: Store, key: string): RecordView | undefined {
  return store.records.get('shop', 'item', key);
}
