import type { Crawl } from '../definition/crawl.ts';
import type { Extraction } from '../extract/draft.ts';
import { canonicalUrl } from '../frontier/canonical.ts';
import { newGuard, watchPage } from '../frontier/guard.ts';
import { requestKey } from '../frontier/key.ts';
import { findPlaces, type FoundLinks, linkRules } from '../frontier/links.ts';
import type { OpenProvider } from '../provider/provider.ts';
import type { CrawlOps, NewPlace } from '../store/crawl.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { Place } from '../store/tables/frontier.ts';
import { budgetEnd, completeEnd, downEnd, errorsEnd, loopEnd, unreadEnd } from './crawl-end.ts';
import {
  draftsOf,
  type FoundOnPage,
  isLarge,
  linkTally,
  lookThrough,
  lookThroughInTurns,
  type PageRules,
  startTally,
} from './crawl-page.ts';
import type { CrawlState } from './crawl-state.ts';
import { PageFailures } from './page-failures.ts';
import { fillOf, statusClass } from './page-tally.ts';
import type { Taken, Visit, Visited, Walk } from './walk.ts';

export interface CrawlWalkOptions {
  readonly crawl: Crawl;
  readonly startUrls: readonly string[];
  readonly provider: OpenProvider;
  /** Pages that are asked for at once. */
  readonly width: number;
  readonly state: CrawlState;
  /** Wall time. */
  now(): number;
}

/** A place that is asked for, or whose step is being written. */
interface UnderWay {
  readonly place: Place;
  /** Keys of the pages that redirects led to from there. */
  readonly led: string[];
  /** Whether it links to pages with records that nobody has met before. */
  findsDetail: boolean;
  /** What a large page was found to hold before its scrape took it. */
  found?: FoundOnPage;
}

/** What a page that is done adds to its crawl, besides the counts of its answer. */
interface Adds {
  readonly links?: FoundLinks;
  readonly places?: readonly NewPlace[];
  readonly back?: readonly Place[];
  readonly tally?: CrawlTally;
}

/** Causes that say what is so: the page is not there. */
const absences: ReadonlySet<string> = new Set(['not_found', 'gone']);

/** A site, page by page: those that may hold records first, each once, until none is left or a guard says that there is no end. */
export function crawlWalk({ crawl, startUrls, provider, width, state, now }: CrawlWalkOptions): Walk {
  const rules = linkRules(crawl, startUrls);
  const pageRules: PageRules = { rules, maxDepth: crawl.maxDepth, isNew: (draft) => state.isNew(draft) };
  const readings = { detail: provider.page, ...(provider.crawl ?? missing()) };
  const underWay = new Map<Visit, UnderWay>();
  /** All that is `led` to by what is under way. */
  const ledTo = new Set<string>();
  const except = new Set<number>();
  const failures = new PageFailures();
  let ready: Place[] = [];
  let guard = state.row().guard ?? newGuard;
  let { pages, errors, forbidden } = state.row();
  let hasRead = (state.row().status['2xx'] ?? 0) > 0;
  let last: Visited | undefined;

  return {
    width,
    next() {
      if (ready.length === 0) ready = [...state.next(except, width)];
      const place = ready.shift();
      if (place === undefined) return undefined;
      const visit = visitOf(place);
      underWay.set(visit, { place, led: [], findsDetail: false });
      except.add(place.seq);
      return visit;
    },
    prepare(visit, { asked: { outcome } }) {
      if (outcome.kind !== 'read' || !isLarge(outcome.extraction)) return undefined;
      const about = aboutOf(visit);
      return lookThroughInTurns(about.place, outcome.extraction, pageRules).then((found) => {
        about.found = found;
      });
    },
    took(visit, visited) {
      const about = aboutOf(visit);
      pages += 1;
      last = visited;
      const { outcome } = visited.asked;
      if (outcome.kind === 'read') return read(about, visited, outcome.extraction);
      if (outcome.kind === 'redirect') return done(about, visited, elsewhere(about.place, outcome.location));
      return failed(about, visited);
    },
    wrote(visit) {
      const { place, led, findsDetail } = aboutOf(visit);
      for (const key of led) ledTo.delete(key);
      except.delete(place.seq);
      underWay.delete(visit);
      // What was put aside before has to wait for what comes first.
      if (findsDetail) ready = ready.filter(({ kind }) => kind === 'detail');
    },
    ending() {
      const left = state.unvisited();
      if (left > 0) return budgetEnd(now(), crawl.maxPages, left);
      if (!hasRead && last !== undefined) return unreadEnd(now(), last);
      return completeEnd(now(), isWhole() ? state.row().firstScrape : undefined);
    },
  };

  function aboutOf(visit: Visit): UnderWay {
    const about = underWay.get(visit);
    if (about === undefined) throw new Error(`${visit.url}: a page that no crawl asked for`);
    return about;
  }

  function visitOf(place: Place): Visit {
    const visit: Visit = {
      url: place.url,
      reading: place.sitemap === true ? readings.sitemap : readings[place.kind],
      request: provider.request,
      follows: (url) => follows(aboutOf(visit), url),
    };
    return visit;
  }

  /**
   * A redirect to a page that is met by another way, that is read in another way, or that no link may lead to, leads no further. Where
   * a crawl begins is what a person wants, so that its host alone decides.
   */
  function follows({ place, led }: UnderWay, location: string): boolean {
    const url = canonicalUrl(location, rules.canonical);
    if (url === undefined || (isStart(place) ? rules.isOffsite(url) : 'refused' in rules.judge(url))) return false;
    if (place.sitemap !== true && rules.kindOf(url) !== place.kind) return false;
    const key = requestKey({ url });
    if (url === place.url || led.includes(key)) return true;
    if (state.isSeen(key) || ledTo.has(key)) return false;
    led.push(key);
    ledTo.add(key);
    return true;
  }

  /** Where a redirect led that was not followed: a place of its own, no deeper than the one that led there. */
  function elsewhere(place: Place, location: string): Adds {
    const { depth, sitemap } = place;
    if (isStart(place)) {
      const places = placeOf(location, place, sitemap);
      if (places.length > 0) return { places };
    }
    return { links: findPlaces(rules, [location], { depth: depth - 1, maxDepth: crawl.maxDepth }) };
  }

  function read(about: UnderWay, visited: Visited, extraction: Extraction): Taken {
    failures.passed();
    hasRead = true;
    const { place } = about;
    const drafts = draftsOf(place, extraction);
    const { links, newRecords } = about.found ?? lookThrough(place, extraction, pageRules);
    const { fingerprint } = extraction;
    const page = { url: visited.url, detail: place.kind === 'detail', newRecords, ...(fingerprint && { fingerprint }) };
    const watched = watchPage(guard, page, crawl);
    ({ state: guard } = watched);
    const fieldFill = fillOf(drafts, extraction);
    const taken = done(about, visited, {
      links,
      places: (extraction.sitemaps ?? []).flatMap((url) => placeOf(url, place, true)),
      tally: { records: drafts.length, newRecords, fieldFill, ...startTally(links, place) },
    });
    return watched.verdict.go ? taken : { ...taken, end: loopEnd(now(), watched.verdict) };
  }

  function failed(about: UnderWay, visited: Visited): Taken {
    const { place } = about;
    const cause = visited.asked.trouble?.cause;
    const { outcome } = visited.asked;
    // What robots.txt asks to leave alone is left, as what a pattern denies is.
    const isLeft = outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed';
    const isAbsent = isLeft || (cause !== undefined && absences.has(cause));
    const isForbidden = isLeft && place.kind === 'detail';
    const back = failures.add(place, visited);
    if (!isAbsent) failures.count(visited);
    const newErrors = (isAbsent ? 0 : 1) - back.length;
    pages -= back.length;
    errors += newErrors;
    if (isForbidden) forbidden += 1;
    const taken = done(about, visited, { back, tally: { errors: newErrors, forbidden: isForbidden ? 1 : 0 } });
    if (failures.isDown) return { ...taken, end: downEnd(visited) };
    const { share, pages: fewest } = crawl.errorCeiling;
    if (pages < fewest || errors <= share * pages) return taken;
    return { ...taken, end: errorsEnd(now(), { errors, pages, share }, failures.mostCommon()) };
  }

  function done(about: UnderWay, { asked }: Visited, { links, places = [], back = [], tally }: Adds): Taken {
    const { place, led } = about;
    const linked = links?.places.map((each) => ({ ...each, from: place.url, key: requestKey(each) })) ?? [];
    const add = [...places, ...linked].filter(({ key }) => !ledTo.has(key));
    about.findsDetail = add.some(({ kind }) => kind === 'detail');
    const answer = { status: { [statusClass(asked)]: 1 }, bytes: asked.outcome.bytes };
    const ops: CrawlOps = {
      done: place,
      add,
      ...(led.length > 0 && { seen: led }),
      ...(back.length > 0 && { back }),
      tally: { ...(links && linkTally(links)), ...tally, ...answer },
      guard,
    };
    return { ops: { crawl: ops }, ...(place.sitemap === true && { drafts: [] }) };
  }

  function placeOf(link: string, { url: from, depth }: Place, sitemap: true | undefined): NewPlace[] {
    const url = canonicalUrl(link, rules.canonical);
    if (url === undefined || rules.isOffsite(url)) return [];
    const kind = sitemap === true ? 'listing' : rules.kindOf(url);
    return [{ url, depth, from, kind, ...(sitemap === true && { sitemap }), key: requestKey({ url }) }];
  }

  /** A page that could not be read, or was left alone, may hold what looks missing; a start that has lost its links shows another page in its place. */
  function isWhole(): boolean {
    const { startLinks } = state.row();
    return errors === 0 && forbidden === 0 && hasRead && (startLinks > 0 || !state.hadLinks());
  }
}

/** Where a crawl begins, or where such a place has led to. */
function isStart({ depth }: Place): boolean {
  return depth === 0;
}

function missing(): never {
  throw new Error('expected the provider of a source that is crawled to say how its listings are read');
}
