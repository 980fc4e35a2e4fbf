import type { Crawl } from '../definition/crawl.ts';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import { againstSource } from '../fetch/triage.ts';
import { canonicalUrl } from '../frontier/canonical.ts';
import { newGuard, type LoopReport, watchPage } from '../frontier/guard.ts';
import { requestKey } from '../frontier/key.ts';
import { findPlaces, linkRules } from '../frontier/links.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import type { CrawlOps, NewPlace } from '../store/crawl.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { Close } from '../store/ops.ts';
import type { CrawlRow } from '../store/tables/crawls.ts';
import type { Place } from '../store/tables/frontier.ts';
import { fillOf, statusClass } from './page-tally.ts';
import { failedEnd, type Taken, type Visit, type Visited, type Walk } from './walk.ts';

/** The crawl that is under way, as it is stored. */
export interface CrawlState {
  /** The crawl itself, as far as it is written. */
  row(): CrawlRow;
  /** How many places it knows of and has not visited. */
  unvisited(): number;
  /** Places that are next, without some. */
  next(except: ReadonlySet<number>, limit: number): readonly Place[];
  /** Whether a page was met by its key, asked or not. */
  isSeen(key: string): boolean;
  /** Whether this crawl has not met the record yet. */
  isNew(draft: RecordDraft): boolean;
}

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
}

/** So many pages in a row that the site as a whole did not give end the scrape; the next one goes on from there. */
const mostFailuresInRow = 10;

/** Causes that say what is so: the page is not there. */
const absences: ReadonlySet<string> = new Set(['not_found', 'gone']);

/** A site, page by page: those that may hold records first, each once, until none is left or a guard says that there is no end. */
export function crawlWalk({ crawl, startUrls, provider, width, state, now }: CrawlWalkOptions): Walk {
  const rules = linkRules(crawl, startUrls);
  const readings = { detail: provider.page, ...(provider.crawl ?? missing()) };
  const underWay = new Map<Visit, UnderWay>();
  /** All that is `led` to by what is under way. */
  const ledTo = new Set<string>();
  const except = new Set<number>();
  let ready: Place[] = [];
  let guard = state.row().guard ?? newGuard;
  let { pages, errors, forbidden } = state.row();
  let hasRead = (state.row().status['2xx'] ?? 0) > 0;
  let failuresInRow = 0;
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
    took(visit, visited) {
      const about = aboutOf(visit);
      pages += 1;
      last = visited;
      const { outcome } = visited.asked;
      if (outcome.kind === 'read') return read(about, visited, outcome.extraction);
      if (outcome.kind === 'redirect') return found(about, visited, [outcome.location]);
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
      if (left === 0 && !hasRead && last !== undefined) return unread(last);
      if (left === 0) return ended('complete', 'complete', { sweep: true });
      const message = `the crawl has asked its ${crawl.maxPages} pages, and ${left} more were left out`;
      return ended('aborted', 'budget', { failure: { code: 'page_budget', message } });
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
      reading: readingOf(place),
      request: provider.request,
      follows: (url) => follows(aboutOf(visit), url),
    };
    return visit;
  }

  function readingOf({ sitemap, kind }: Place): Reading {
    return sitemap === true ? readings.sitemap : readings[kind];
  }

  /** A redirect to a page that is met by another way, or that no link may lead to, leads no further. */
  function follows({ place, led }: UnderWay, location: string): boolean {
    const url = canonicalUrl(location, rules.canonical);
    if (url === undefined || 'refused' in rules.judge(url)) return false;
    const key = requestKey({ url });
    if (url === place.url || led.includes(key)) return true;
    if (state.isSeen(key) || ledTo.has(key)) return false;
    led.push(key);
    ledTo.add(key);
    return true;
  }

  function read(about: UnderWay, visited: Visited, extraction: Extraction): Taken {
    failuresInRow = 0;
    hasRead = true;
    const { place } = about;
    const drafts = place.sitemap === true ? [] : extraction.drafts;
    const newRecords = drafts.filter((draft) => state.isNew(draft)).length;
    const { fingerprint } = extraction;
    const page = { url: visited.url, detail: place.kind === 'detail', newRecords, ...(fingerprint && { fingerprint }) };
    const watched = watchPage(guard, page, crawl);
    ({ state: guard } = watched);
    const taken = found(about, visited, extraction.links ?? [], {
      records: drafts.length,
      newRecords,
      fieldFill: fillOf(drafts, extraction),
      places: (extraction.sitemaps ?? []).flatMap((url) => sitemapPlace(url, place)),
    });
    return watched.verdict.go ? taken : { ...taken, end: looped(watched.verdict) };
  }

  function failed(about: UnderWay, visited: Visited): Taken {
    const cause = visited.asked.trouble?.cause;
    const { outcome } = visited.asked;
    // What robots.txt asks to leave alone is left, as what a pattern denies is.
    const isLeft = outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed';
    const isAbsent = isLeft || (cause !== undefined && absences.has(cause));
    const isForbidden = isLeft && about.place.kind === 'detail';
    if (isForbidden) forbidden += 1;
    failuresInRow = cause !== undefined && againstSource.has(cause) ? failuresInRow + 1 : 0;
    if (!isAbsent) errors += 1;
    const taken = found(about, visited, [], { errors: isAbsent ? 0 : 1, forbidden: isForbidden ? 1 : 0 });
    const { share, pages: fewest } = crawl.errorCeiling;
    if (failuresInRow >= mostFailuresInRow) return { ...taken, end: { ...failedEnd(visited), reason: 'unreachable' } };
    if (pages < fewest || errors <= share * pages) return taken;
    const message = `${errors} of ${pages} pages could not be read: expected at most ${share * 100} %`;
    return { ...taken, end: ended('failed', 'errors', { failure: { code: 'too_many_errors', message } }) };
  }

  /** What a page that is done adds to its crawl. */
  function found(
    about: UnderWay,
    { asked }: Visited,
    links: readonly string[],
    { places: more = [], ...tally }: CrawlTally & { readonly places?: readonly NewPlace[] } = {},
  ): Taken {
    const { place, led } = about;
    const judged = findPlaces(rules, links, { depth: place.depth, maxDepth: crawl.maxDepth });
    const linked = judged.places.map((each) => ({ ...each, from: place.url, key: requestKey(each) }));
    const add = [...more, ...linked].filter(({ key }) => !ledTo.has(key));
    about.findsDetail = add.some(({ kind }) => kind === 'detail');
    const ops: CrawlOps = {
      done: place,
      add,
      ...(led.length > 0 && { seen: led }),
      tally: {
        ...tally,
        status: { [statusClass(asked)]: 1 },
        bytes: asked.outcome.bytes,
        refused: judged.refused,
        offsite: judged.offsite,
        tooDeep: judged.tooDeep,
      },
      guard,
    };
    return { ops: { crawl: ops }, ...(place.sitemap === true && { drafts: [] }) };
  }

  function sitemapPlace(link: string, { url: from, depth }: Place): NewPlace[] {
    const url = canonicalUrl(link, rules.canonical);
    if (url === undefined || rules.isOffsite(url)) return [];
    return [{ url, depth, from, kind: 'listing', sitemap: true, key: requestKey({ url }) }];
  }

  function looped(loop: LoopReport): NonNullable<Taken['end']> {
    const { template, pages: since, samples } = loop;
    const message = `${since} pages without a new record, most of them like ${template}, such as ${samples.join(', ')}`;
    return ended('aborted', 'loop', { failure: { code: 'loop', message }, loop });
  }

  /** Where no page at all could be read, nothing is known of any. */
  function unread(visited: Visited): NonNullable<Taken['end']> {
    const { asked, url } = visited;
    const { outcome } = asked;
    const crawl = { at: now(), reason: 'failed' } as const;
    if (outcome.kind !== 'redirect') return { ...failedEnd(visited), reason: 'failed', crawl };
    const message = `no page of the site could be read: ${url} leads to ${outcome.location}`;
    return { status: 'failed', reason: 'failed', finished: false, failure: { code: 'led_away', message }, crawl };
  }

  function ended(
    status: Close['status'],
    reason: 'complete' | 'loop' | 'budget' | 'errors',
    { failure, loop, sweep }: { failure?: Close['failure']; loop?: LoopReport; sweep?: true } = {},
  ): Omit<Close, 'copy'> {
    const end = { at: now(), reason, ...(loop !== undefined && { loop }) };
    // A page that could not be read, or was left alone, may hold what looks missing.
    const isWhole = sweep === true && hasRead && errors === 0 && forbidden === 0;
    return {
      status,
      reason,
      finished: false,
      ...(failure !== undefined && { failure }),
      crawl: end,
      ...(isWhole && { missingSince: state.row().firstScrape }),
    };
  }
}

function missing(): never {
  throw new Error('expected the provider of a source that is crawled to say how its listings are read');
}
