import { requestKey } from '../src/frontier/canonical.ts';
import type { LinkRules } from '../src/frontier/links.ts';
import type { CrawlState } from '../src/scrape/crawl-walk.ts';
import { applyCrawl, type CrawlOps, isSeen, nextPlaces, unvisited } from '../src/store/crawl.ts';
import type { CrawlRow, CrawlTable } from '../src/store/tables/crawls.ts';
import type { FrontierTable, FrontierPlace } from '../src/store/tables/frontier.ts';

/** A crawl whose frontier is in memory. */
export interface MemoryCrawl {
  readonly state: CrawlState;
  readonly row: CrawlRow;
  apply(ops: CrawlOps): void;
}

const target = 1;

export function memoryCrawl(startUrls: readonly string[], maxPages: number, rules: LinkRules): MemoryCrawl {
  const records = new Set<string>();
  const tables = { frontier: memoryFrontier(), crawls: memoryCrawls() };
  const row = (): CrawlRow => {
    const newest = tables.crawls.newest(target);
    if (newest === undefined) throw new Error('no crawl was begun');
    return newest;
  };
  const add = startUrls.map((url) => ({ url, depth: 0, kind: rules.kindOf(url), key: requestKey({ url }) }));
  applyCrawl(tables, target, { begin: { version: '1', firstScrape: 1, startedAt: 0, maxPages }, add });
  return {
    get row() {
      return row();
    },
    apply: (ops) => void applyCrawl(tables, target, ops),
    state: {
      row,
      hadLinks: () => false,
      unvisited: () => unvisited(row()),
      next: (except, limit) => nextPlaces(tables, target, { except, limit }),
      isSeen: (key) => isSeen(tables, target, key),
      isNew({ type, key }) {
        const name = `${type} ${key}`;
        if (records.has(name)) return false;
        records.add(name);
        return true;
      },
    },
  };
}

function memoryFrontier(): FrontierTable {
  const waiting = { detail: new Map<number, FrontierPlace>(), listing: new Map<number, FrontierPlace>() };
  const seen = new Set<string>();
  return {
    *ofCrawl(_target, _crawl, limit) {
      let left = limit;
      for (const places of [waiting.detail, waiting.listing]) {
        for (const place of places.values()) {
          if (left <= 0) return;
          left -= 1;
          yield place;
        }
      }
    },
    add: (_target, _crawl, place) => void waiting[place.kind].set(place.seq, place),
    remove: (_target, _crawl, { kind, seq }) => waiting[kind].delete(seq),
    isSeen: (_target, _crawl, key) => seen.has(key),
    see(_target, _crawl, key) {
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    },
    removePlaces: () => 0,
    removeMarks: () => ({ removed: 0 }),
    count: () => waiting.detail.size + waiting.listing.size,
  };
}

function memoryCrawls(): CrawlTable {
  let newest: CrawlRow | undefined;
  return {
    get: () => newest,
    put: (row) => void (newest = row),
    newest: () => newest,
    ofTarget: () => (newest === undefined ? [] : [newest]),
    remove: () => false,
  };
}
