import { type GuardState, newGuard, watchPage } from '../../src/frontier/loop-guard.ts';
import { requestKey } from '../../src/frontier/canonical.ts';
import { findPlaces, type FoundPlace, type LinkRules, linkRules } from '../../src/frontier/links.ts';
import {
  applyCrawl,
  type CrawlOps,
  type CrawlResult,
  type NewPlace,
  nextPlaces,
  unvisited,
} from '../../src/store/crawl.ts';
import type { Store } from '../../src/store/store.ts';
import type { CrawlRow } from '../../src/store/tables/crawls.ts';

/** A site as the links of each of its pages. */
export type LinksOf = (url: string) => readonly string[];

export const shop = 'http://shop.test/';
export const shopRules = linkRules({ detail: ['/p/'], files: 'skip' }, [shop]);

export function place({ url, kind, depth }: FoundPlace): NewPlace {
  return { url, kind, depth, key: requestKey({ url }) };
}

/** 200 pages: a start, 19 lists that name each other and 180 articles, with links back and links that are refused. */
export const finite: LinksOf = (url) => {
  const [area = '', number = '0'] = new URL(url).pathname.split('/').slice(1);
  const lists = Array.from({ length: 19 }, (_, index) => `${shop}c/${index}?utm_source=home#top`);
  if (area === '') return lists;
  if (area === 'p')
    return [shop, `${shop}c/${Number(number) % 19}`, 'http://partner.test/', `${shop}p/${number}/photo.jpg`];
  const articles = Array.from({ length: 180 }, (_, index) => index).filter((index) => index % 19 === Number(number));
  return [...lists, ...articles.map((index) => `${shop}p/${index}`)];
};

export const listing = (path: string): NewPlace => place({ url: `${shop}${path}`, kind: 'listing', depth: 1 });
export const detail = (path: string): NewPlace => place({ url: `${shop}p/${path}`, kind: 'detail', depth: 1 });

export function apply(store: Store, target: number, ops: Partial<CrawlOps>): Promise<CrawlResult> {
  return store.write(() => applyCrawl(store, target, { add: [], ...ops }));
}

export function begin(
  store: Store,
  target: number,
  ops: Partial<CrawlOps> = {},
  maxPages = 1_000,
): Promise<CrawlResult> {
  return apply(store, target, { begin: { version: 'v1', firstScrape: 1, startedAt: 1, maxPages }, ...ops });
}

export interface Walk {
  readonly target?: number;
  readonly rules?: LinkRules;
  readonly maxPages?: number;
  readonly maxWithoutNew?: number;
  /** Stops after so many pages, as a daemon that is killed does. */
  readonly killedAfter?: number;
  /** Told of each page when what was found on it is committed. */
  readonly done?: (url: string) => void;
}

export interface Walked {
  readonly asked: readonly string[];
  readonly row: CrawlRow;
}

/** Crawls a site from its start, or goes on with the crawl that is under way; each page with records has one of its own. */
export async function walk(store: Store, linksOf: LinksOf, options: Walk = {}): Promise<Walked> {
  const {
    target = 1,
    rules = shopRules,
    maxPages = 10_000,
    maxWithoutNew = 5_000,
    killedAfter = Infinity,
    done,
  } = options;
  const asked: string[] = [];
  let row = store.crawls.newest(target);
  if (row === undefined || row.endReason !== undefined) {
    const start = place({ url: shop, kind: rules.kindOf(shop), depth: 0 });
    ({ crawl: row } = await begin(store, target, { add: [start] }, maxPages));
  }
  while (asked.length < killedAfter) {
    const [next] = nextPlaces(store, target, { except: new Set(), limit: 1 });
    if (next === undefined)
      return {
        asked,
        row: (await apply(store, target, { end: { at: 2, reason: unvisited(row) > 0 ? 'budget' : 'complete' } })).crawl,
      };
    asked.push(next.url);
    const found = findPlaces(rules, linksOf(next.url), { depth: next.depth, maxDepth: 10_000 });
    const newRecords = next.kind === 'detail' ? 1 : 0;
    const before: GuardState = row.guard ?? newGuard;
    const { state, verdict } = watchPage(
      before,
      { url: next.url, detail: next.kind === 'detail', newRecords },
      { maxWithoutNew },
    );
    ({ crawl: row } = await apply(store, target, {
      done: next,
      add: found.places.map(place),
      guard: state,
      tally: {
        records: newRecords,
        recordPages: newRecords,
        newRecords,
        refused: found.refused,
        offsite: found.offsite,
        status: { '2xx': 1 },
      },
      ...(!verdict.go && { end: { at: 2, reason: 'loop', loop: verdict } }),
    }));
    done?.(next.url);
    if (!verdict.go) break;
  }
  return { asked, row };
}
