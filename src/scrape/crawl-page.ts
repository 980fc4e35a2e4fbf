import { setImmediate } from 'node:timers/promises';
import { defined } from '../defined.ts';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import { canonicalUrl, requestKey } from '../frontier/canonical.ts';
import type { GuardState } from '../frontier/loop-guard.ts';
import { type FoundLinks, type LinkRules, areMany, findPlaces, findPlacesInTurns } from '../frontier/links.ts';
import type { RequestResult } from '../request/intent.ts';
import type { CrawlOps, CrawlTally, NewPlace } from '../store/crawl.ts';
import type { StatusClass } from '../store/tables/crawls.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';

/** The rules by which a crawl judges what its pages hold. */
export interface PageRules {
  readonly rules: LinkRules;
  readonly maxDepth: number;
  /** Whether this crawl has not met the record before. */
  isNew(draft: RecordDraft): boolean;
}

/** The links of a page, and how many of its records the crawl had not met before. */
export interface PageContent {
  readonly links: FoundLinks;
  readonly newRecords: number;
}

/** Drafts that are looked up before other work gets its turn. */
const draftsAtOnce = 1_000;

/** The records of a page; a sitemap gives none. */
export function draftsOf({ sitemap }: FrontierPlace, { drafts }: Extraction): readonly RecordDraft[] {
  return sitemap === true ? [] : drafts;
}

/** Whether a page holds more than may be looked through without a break. */
export function isLarge({ links = [], drafts }: Extraction): boolean {
  return drafts.length > draftsAtOnce || areMany(links);
}

/** Judges the links of a page and counts its new records, at once. */
export function lookThrough(
  place: FrontierPlace,
  extraction: Extraction,
  { rules, maxDepth, isNew }: PageRules,
): PageContent {
  return {
    links: findPlaces(rules, extraction.links ?? [], { depth: place.depth, maxDepth, changedBy: extraction.changedBy }),
    newRecords: draftsOf(place, extraction).filter((draft) => isNew(draft)).length,
  };
}

/** Does what `lookThrough` does for a page of any size, with breaks in which other work gets its turn. Never rejects. */
export async function lookThroughInTurns(
  place: FrontierPlace,
  extraction: Extraction,
  { rules, maxDepth, isNew }: PageRules,
): Promise<PageContent> {
  const { links: found = [], changedBy } = extraction;
  const links = await findPlacesInTurns(rules, found, { depth: place.depth, maxDepth, changedBy });
  const drafts = draftsOf(place, extraction);
  let newRecords = 0;
  for (let at = 0; at < drafts.length; at += draftsAtOnce) {
    newRecords += drafts.slice(at, at + draftsAtOnce).filter((draft) => isNew(draft)).length;
    await setImmediate();
  }
  return { links, newRecords };
}

/** Whether a crawl begins at the place, or was redirected there from such a place. */
export function isStart({ depth }: FrontierPlace): boolean {
  return depth === 0;
}

/** The place that `link` names, as deep as the place where it was found; none where the link leads off the site. */
export function placesAt(
  rules: LinkRules,
  link: string,
  { from, sitemap }: { readonly from: FrontierPlace; readonly sitemap: true | undefined },
): NewPlace[] {
  const url = canonicalUrl(link, rules.canonical);
  if (url === undefined || rules.isOffsite(url)) return [];
  const kind = sitemap === true ? 'listing' : rules.kindOf(url);
  return [{ url, depth: from.depth, from: from.url, kind, ...defined({ sitemap }), key: requestKey({ url }) }];
}

/** The additions of a redirect that was not followed: its target, no deeper than the place that was redirected. */
export function redirectTarget(
  rules: LinkRules,
  location: string,
  from: FrontierPlace,
  maxDepth: number,
): Pick<PageEffects, 'places' | 'links'> {
  if (isStart(from)) {
    const places = placesAt(rules, location, { from, sitemap: from.sitemap });
    if (places.length > 0) return { places };
  }
  return { links: findPlaces(rules, [location], { depth: from.depth - 1, maxDepth }) };
}

/** How many other pages of the site a page leads to that is there to lead on: a start, or one that is not read for records. */
export function leadsOf({ places, tooDeep }: FoundLinks, place: FrontierPlace): number | undefined {
  const leadsOn = isStart(place) || (place.kind === 'listing' && place.sitemap !== true);
  return leadsOn ? places.filter(({ url }) => url !== place.url).length + tooDeep : undefined;
}

/** The effects of a page on its crawl, besides the counts of its answer. */
export interface PageEffects extends Pick<CrawlOps, 'read' | 'failed' | 'back' | 'downs' | 'contradicts' | 'leads'> {
  readonly links?: FoundLinks;
  readonly places?: readonly NewPlace[];
  readonly tally?: CrawlTally;
  /** Set where the page stays in the frontier, to be asked for again. */
  readonly stays?: true;
}

/** The state of a crawl that the operations of a page depend on. */
export interface CrawlPageContext {
  readonly guard: GuardState;
  /** Keys of the pages that redirects of this page led to. */
  readonly redirects: readonly string[];
  /** Whether the crawl is known to have met a page, by its key, so that it need not be added to the frontier. */
  isMet(key: string): boolean;
}

/** The operations that the store writes for a crawl with the step of one page. */
export function crawlOps(
  place: FrontierPlace,
  { outcome, wasAsked }: RequestResult,
  { links, places = [], tally, stays, read, failed = [], back = [], downs, contradicts, leads }: PageEffects,
  { guard, redirects, isMet }: CrawlPageContext,
): CrawlOps {
  const add = places.filter(({ key }) => !isMet(key));
  for (const linked of links?.places ?? []) {
    const key = requestKey(linked);
    if (!isMet(key)) add.push({ ...linked, from: place.url, key });
  }
  const linkCounts = links && { refused: links.refused, offsite: links.offsite, tooDeep: links.tooDeep };
  const errors = (tally?.errors ?? 0) + failed.length;
  return {
    // A page that is asked for again is redirected again.
    ...(stays !== true && { done: place, ...(redirects.length > 0 && { seen: redirects }) }),
    add,
    ...defined({
      read,
      failed: failed.length > 0 ? failed : undefined,
      back: back.length > 0 ? back : undefined,
      downs,
      contradicts,
      leads,
    }),
    tally: { ...linkCounts, ...tally, errors, status: { [statusClass(outcome, wasAsked)]: 1 }, bytes: outcome.bytes },
    guard,
  };
}

/** The class under which a page is counted: the first digit of its status, that it has not changed as it or a sitemap says, or why there was no status. */
function statusClass(outcome: RequestResult['outcome'], wasAsked: boolean): StatusClass {
  if (outcome.kind === 'unmodified') return wasAsked ? '304' : 'listed';
  if (outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed') return 'forbidden';
  switch (Math.floor((outcome.status ?? 0) / 100)) {
    case 1:
      return '1xx';
    case 2:
      return '2xx';
    case 3:
      return '3xx';
    case 4:
      return '4xx';
    case 5:
      return '5xx';
    default:
      return 'failed';
  }
}
