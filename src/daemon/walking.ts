import type { LoadedSource } from '../definition/catalogue.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { canonicalOptions, canonicalUrl } from '../frontier/canonical.ts';
import { requestKey } from '../frontier/key.ts';
import { linkRules } from '../frontier/links.ts';
import type { OpenProvider } from '../provider/provider.ts';
import { hoursOver } from '../scrape/ask.ts';
import type { CrawlState } from '../scrape/crawl-state.ts';
import type { Walk } from '../scrape/walk.ts';
import { walkOf } from '../scrape/walks.ts';
import { beginCrawl } from '../store/begin-crawl.ts';
import { isSeen, type NewPlace, nextPlaces, unvisited } from '../store/crawl.ts';
import type { Fence } from '../store/ops.ts';
import type { Reach } from '../store/reach.ts';
import type { ScrapeWish, TargetRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { CrawlRow } from '../store/tables/crawls.ts';

/** A scrape that has just begun. */
export interface Begun {
  readonly target: TargetRow;
  readonly fence: Omit<Fence, 'step'>;
  readonly loaded: LoadedSource;
  readonly wish: ScrapeWish;
  /** Of a source with a plug-in. */
  readonly provider?: OpenProvider | undefined;
}

/** The pages of a scrape that has just begun; nothing when it is superseded already. */
export async function openWalk(store: Store, begun: Begun, now: () => number): Promise<Walk | undefined> {
  const { wish, loaded, provider } = begun;
  const { source, version } = loaded;
  const reach = reachOf(store, begun);
  // Behind a first visit that its limit ended come later ones.
  const target = reach?.isOver === true ? { ...begun.target, settled: reach.by } : begun.target;
  const seenBy = ({ type, key }: { readonly type: string; readonly key: string }) =>
    store.records.seenBy(target.target, { source: source.id, type, key });
  const inputs = {
    source,
    ...(provider !== undefined && { provider }),
    version,
    target,
    wish,
    now,
    isKnown: (draft: RecordDraft) => {
      const first = seenBy(draft)?.first ?? 0;
      return first > 0 && first <= target.settled;
    },
    reach: {
      version,
      scrape: begun.fence.scrape,
      from: reach?.isOver === true ? undefined : reach,
      isMet: (draft: RecordDraft, since: number) => (seenBy(draft)?.last ?? 0) >= since,
    },
  };
  if (source.crawl === undefined) return walkOf(inputs);
  const startUrls = source.crawl.start ?? [target.url];
  const row = await beginCrawl(store, begun.fence, {
    version,
    maxPages: source.crawl.maxPages,
    places: startPlaces(source.crawl, startUrls),
    anew: wish.full === true,
  });
  return row && walkOf({ ...inputs, crawl: { startUrls, state: crawlState(store, source.id, row) } });
}

/**
 * Where a walk to the end of a list goes on, or was ended by its limit. What a person wants read again is begun anew, unless it was
 * begun for that wish and the daemon ended meanwhile, or the hours of the source did.
 */
function reachOf(store: Store, { target, wish, loaded }: Begun): Reach | undefined {
  const { reach } = store.targets.get(target.target) ?? target;
  if (reach?.version !== loaded.version) return undefined;
  if (wish.full !== true) return target.settled === 0 ? reach : undefined;
  const last = store.scrapes.get(reach.by);
  const wasCut = last?.failure?.code === 'interrupted' || last?.endReason === hoursOver;
  return last?.wish?.full === true && wasCut ? reach : undefined;
}

function startPlaces(crawl: NonNullable<LoadedSource['source']['crawl']>, startUrls: readonly string[]): NewPlace[] {
  const rules = linkRules(crawl, startUrls);
  const options = canonicalOptions(crawl);
  const places = startUrls.map((url) => ({ url: canonicalUrl(url, options) ?? url, depth: 0 }));
  const sitemaps = (crawl.sitemaps ?? []).map((url) => ({ url, depth: 0, sitemap: true, kind: 'listing' }) as const);
  const starts = places.map((place) => ({ ...place, kind: rules.kindOf(place.url) }));
  return [...starts, ...sitemaps].map((place) => ({ ...place, key: requestKey(place) }));
}

function crawlState(store: Store, source: string, { target, crawl, firstScrape }: CrawlRow): CrawlState {
  const row = (): CrawlRow => {
    const found = store.crawls.get(target, crawl);
    if (found === undefined) throw new Error(`target ${target}: crawl ${crawl} is gone`);
    return found;
  };
  return {
    row,
    unvisited: () => unvisited(row()),
    next: (except, limit) => nextPlaces(store, target, { except, limit }),
    isSeen: (key) => isSeen(store, target, key),
    isNew: ({ type, key }) => (store.records.seenBy(target, { source, type, key })?.last ?? 0) < firstScrape,
    hadLinks: () => [...store.crawls.ofTarget(target, { before: crawl })].some(({ startLinks }) => startLinks > 0),
  };
}
