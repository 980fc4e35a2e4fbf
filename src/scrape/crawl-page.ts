import { setImmediate } from 'node:timers/promises';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import { areMany, findPlaces, findPlacesInTurns, type FoundLinks, type LinkRules } from '../frontier/links.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { Place } from '../store/tables/frontier.ts';

/** What a crawl makes of the pages that it reads. */
export interface PageRules {
  readonly rules: LinkRules;
  readonly maxDepth: number;
  /** Whether the crawl has not met the record yet. */
  isNew(draft: RecordDraft): boolean;
}

/** What a page holds that matters to its crawl. */
export interface FoundOnPage {
  readonly links: FoundLinks;
  readonly newRecords: number;
}

/** Drafts that are looked up in one turn. */
const draftsAtOnce = 1_000;

/** What a page of a crawl gave; a sitemap gives no records. */
export function draftsOf({ sitemap }: Place, { drafts }: Extraction): readonly RecordDraft[] {
  return sitemap === true ? [] : drafts;
}

/** Whether a page is more than may be looked through in one turn. */
export function isLarge({ links = [], drafts }: Extraction): boolean {
  return drafts.length > draftsAtOnce || areMany(links);
}

export function lookThrough(place: Place, extraction: Extraction, { rules, maxDepth, isNew }: PageRules): FoundOnPage {
  return {
    links: findPlaces(rules, extraction.links ?? [], { depth: place.depth, maxDepth }),
    newRecords: draftsOf(place, extraction).filter((draft) => isNew(draft)).length,
  };
}

/** As `lookThrough`, for a page of any size: others have their turn now and then. */
export async function lookThroughInTurns(
  place: Place,
  extraction: Extraction,
  { rules, maxDepth, isNew }: PageRules,
): Promise<FoundOnPage> {
  const links = await findPlacesInTurns(rules, extraction.links ?? [], { depth: place.depth, maxDepth });
  const drafts = draftsOf(place, extraction);
  let newRecords = 0;
  for (let at = 0; at < drafts.length; at += draftsAtOnce) {
    newRecords += drafts.slice(at, at + draftsAtOnce).filter((draft) => isNew(draft)).length;
    await setImmediate();
  }
  return { links, newRecords };
}

export function linkTally({ refused, offsite, tooDeep }: FoundLinks): CrawlTally {
  return { refused, offsite, tooDeep };
}

/** How many other pages of the site a start leads to; nothing for any other page. */
export function startTally({ places, tooDeep }: FoundLinks, { depth, url }: Place): CrawlTally {
  return depth === 0 ? { startLinks: places.filter((each) => each.url !== url).length + tooDeep } : {};
}
