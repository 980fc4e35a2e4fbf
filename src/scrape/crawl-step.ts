import type { GuardState } from '../frontier/guard.ts';
import { requestKey } from '../frontier/key.ts';
import type { FoundLinks } from '../frontier/links.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import type { CrawlOps, NewPlace } from '../store/crawl.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { Place } from '../store/tables/frontier.ts';
import { type FoundOnPage, linkTally } from './crawl-page.ts';
import { statusClass } from './page-tally.ts';
import type { Visited } from './walk.ts';

/** How the pages of a crawl are read, by their kind. */
export function readingsOf({ page, crawl }: OpenProvider): Record<Place['kind'] | 'sitemap', Reading> {
  if (crawl === undefined)
    throw new Error('expected the provider of a source that is crawled to say how its listings are read');
  return { detail: page, ...crawl };
}

/** A place that is asked for, or whose step is being written. */
export interface UnderWay {
  readonly place: Place;
  /** Keys of the pages that redirects led to from there. */
  readonly led: string[];
  /** Set for a page that was read before: it tells whether the site can be read at all, and nothing else is made of it. */
  readonly isProbe?: true;
  /** What a large page was found to hold before its scrape took it. */
  found?: FoundOnPage;
  /** What is written of it, once it is taken. */
  ops?: CrawlOps;
}

/** What a page adds to its crawl, besides the counts of its answer. */
export interface Adds extends Pick<CrawlOps, 'read' | 'failed' | 'back' | 'downs'> {
  readonly links?: FoundLinks;
  readonly places?: readonly NewPlace[];
  readonly tally?: CrawlTally;
  /** Set where the page itself is not done. */
  readonly stays?: true;
}

/** What a page that was asked for does to its crawl; what other pages are led to, by its key, is added by none. */
export function crawlOps(
  { place, led }: UnderWay,
  { asked }: Visited,
  { links, places = [], tally, stays, read, failed = [], back = [], downs }: Adds,
  { guard, ledTo }: { readonly guard: GuardState; readonly ledTo: ReadonlySet<string> },
): CrawlOps {
  const linked = links?.places.map((each) => ({ ...each, from: place.url, key: requestKey(each) })) ?? [];
  const errors = (tally?.errors ?? 0) + failed.length;
  const answer = { status: { [statusClass(asked)]: 1 }, bytes: asked.outcome.bytes };
  return {
    // A page that is asked again is led again to what it was led to.
    ...(stays !== true && { done: place, ...(led.length > 0 && { seen: led }) }),
    add: [...places, ...linked].filter(({ key }) => !ledTo.has(key)),
    ...(read !== undefined && { read }),
    ...(failed.length > 0 && { failed }),
    ...(back.length > 0 && { back }),
    ...(downs !== undefined && { downs }),
    tally: { ...(links && linkTally(links)), ...tally, errors, ...answer },
    guard,
  };
}

/** What leaves the frontier, or its place there. */
export function leaving({ done, failed = [], back = [] }: CrawlOps): number[] {
  return [...(done === undefined ? [] : [done]), ...failed, ...back].map(({ seq }) => seq);
}
