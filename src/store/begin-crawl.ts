import { applyCrawl, type NewPlace } from './crawl.ts';
import type { Fence } from './ops.ts';
import type { Store } from './store.ts';
import type { CrawlRow } from './tables/crawls.ts';

export interface CrawlStart {
  /** Of the definition. */
  readonly version: string;
  readonly maxPages: number;
  /** Where it begins. */
  readonly places: readonly NewPlace[];
  /** Whether one that was cut short is left where it is. */
  readonly anew: boolean;
}

/**
 * The crawl that a scrape which has just begun is about: the one that was cut short, if it walks by the same definition, else a
 * new one. Nothing when the scrape is superseded.
 */
export function beginCrawl(
  store: Store,
  { target, epoch, scrape }: Omit<Fence, 'step'>,
  { version, maxPages, places, anew }: CrawlStart,
): Promise<CrawlRow | undefined> {
  return store.write((change) => {
    const row = store.targets.get(target);
    if (row?.epoch !== epoch || row.running !== scrape) return undefined;
    const last = store.crawls.newest(target);
    if (last !== undefined && last.endReason === undefined && last.version === version && !anew) return last;
    const begin = { version, firstScrape: scrape, startedAt: change.at, maxPages };
    const { crawl } = applyCrawl(store, target, { begin, add: places });
    change.log({ kind: 'crawl.begin', target, scrape });
    return crawl;
  });
}
