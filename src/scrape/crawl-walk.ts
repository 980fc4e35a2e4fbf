import { isLack } from '../request/failure.ts';
import { defined } from '../defined.ts';
import type { Crawl } from '../definition/crawl.ts';
import type { Extraction } from '../extract/draft.ts';
import { canonicalUrl, requestKey } from '../frontier/canonical.ts';
import { newGuard, wantsFingerprint, watchPage } from '../frontier/loop-guard.ts';
import { linkRules } from '../frontier/links.ts';
import { fieldFill } from '../health/field-fill.ts';
import type { OpenProvider } from '../provider/provider.ts';
import type { KnownPage } from '../store/copies.ts';
import type { CrawlOps } from '../store/crawl.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';
import { budgetEnd, completeEnd, downEnd, emptyEnd, errorsEnd, loopEnd, lostEnd, unreadEnd } from './crawl-end.ts';
import { CrawlFailures, isAbsence, isAnswer, isForbidden } from './crawl-failures.ts';
import {
  copyOfPage,
  type KnownContent,
  lookThroughKnown,
  type PageGave,
  readAs,
  readingsOf,
  type SitemapVerdict,
  sitemapVerdict,
} from './crawl-copy.ts';
import {
  crawlOps,
  draftsOf,
  isLarge,
  isStart,
  leadsOf,
  lookThrough,
  lookThroughInTurns,
  type PageContent,
  type PageEffects,
  type PageRules,
  placesAt,
  redirectTarget,
} from './crawl-page.ts';
import type { CrawlState } from './crawl-state.ts';
import { failedEnd, type ScrapeEnd, type PageResult, type Visit, type Visited, type Walk } from './walk.ts';

/** The inputs of a crawl. */
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

/** A page from the moment it is asked for until its step is written. */
interface PageUnderWay {
  readonly place: FrontierPlace;
  /** Keys of the pages that its redirects led to. */
  readonly redirects: string[];
  /** Set for a page that was read before and is asked for again, only to learn whether the site can be read at all. */
  readonly isProbe?: true;
  /** Set where an earlier crawl has read the page, so that it need not be read where it has not changed. */
  readonly known?: KnownPage;
  /** The verdict of the sitemap that lists it. */
  readonly verdict?: SitemapVerdict;
  /** Set by `prepare` for a large page. */
  content?: PageContent;
  /** Set by `prepare` for a page that has not changed. */
  unchanged?: KnownContent;
  /** The operations that are written for it; set by `advance`. */
  ops?: CrawlOps;
}

/**
 * The largest number of met pages that a walk remembers. The links that stand on most pages of a site are met on its first
 * ones.
 */
const mostMet = 5_000;

/** The largest number of scrapes in a row that find the site down; with one more the crawl is given up. */
const mostDowns = 3;

/**
 * Visits a site page by page: first the pages that may hold records, each page once, until no place is left, a budget or ceiling is
 * reached, or the guard takes the crawl for endless. The order of one page's step:
 *
 * 1. `next` takes the first place of the frontier that is not under way. While many pages in a row have failed it takes none, and
 *    instead probes a page that was read before.
 * 2. `follows` decides on each redirect. A page that another way leads to is not followed but left to that way.
 * 3. `prepare` looks through a page that is too large to be looked through at once.
 * 4. `advance` turns the answer into what is written: the page is read, redirected, failed, or was a probe. Counts, guard and
 *    failures change here and nowhere else.
 * 5. `written` forgets the page: from now on the store knows of it.
 *
 * `underWay` and `failures` hold what the store does not know yet. Everything else is read from the store.
 *
 * @throws where the provider does not say how listings are read.
 */
export function crawlWalk({ crawl, startUrls, provider, width, state, now }: CrawlWalkOptions): Walk {
  const rules = linkRules(crawl, startUrls);
  const pageRules: PageRules = { rules, maxDepth: crawl.maxDepth, isNew: (draft) => state.isNew(draft) };
  const readings = readingsOf(provider);
  const underWay = new Map<Visit, PageUnderWay>();
  const failures = new CrawlFailures();
  /** Keys of the pages that redirects of all pages under way led to; no page adds these to the frontier. */
  const ledTo = new Set<string>();
  /** The head of the frontier, fetched from the store in advance. */
  let ready: readonly FrontierPlace[] = [];
  const { waiting, maxPages, version } = state.row();
  let { guard = newGuard, lastRead = {}, downs = 0, pages, errors, forbidden } = state.row();
  let isCut = false;
  /** Keys of pages that the store is sure to have met, which it need not look up once more for each page that links there. */
  const met = new Set<string>();
  /** At least the number of places that the store has kept. Beyond its budget of pages the store keeps no place, so that none counts as met. */
  let places = pages + waiting.detail + waiting.listing;
  let last: Visited | undefined;

  return {
    width,

    next() {
      if (failures.areMany) return probe();
      if (ready.length === 0) ready = state.next(takenPlaces(), 4 * width);
      const [place, ...others] = ready;
      if (place === undefined) return probe();
      ready = others;
      // A copy says nothing of how the page compares with others.
      const known = wantsFingerprint(guard, crawl) ? undefined : state.known(place);
      return begin({
        place,
        redirects: [],
        ...defined({ known, verdict: sitemapVerdict(place, known, state.row(), now()) }),
      });
    },

    prepare(visit, { result: { outcome } }) {
      const page = pageOf(visit);
      if (page.known !== undefined && outcome.kind === 'unmodified')
        return lookThroughKnown(page.place, page.known, pageRules).then((content) => {
          page.unchanged = content;
        });
      if (page.isProbe === true || outcome.kind !== 'read' || !isLarge(outcome.extraction)) return undefined;
      return lookThroughInTurns(page.place, outcome.extraction, pageRules).then((content) => {
        page.content = content;
      });
    },

    advance(visit, visited) {
      const page = pageOf(visit);
      last = visited;
      const { outcome } = visited.result;
      // The next scrape asks for this page and for the suspended ones again.
      if (isLack(outcome))
        return { ...resultOf(page, visited, { stays: true, back: failures.takeBack() }), end: failedEnd(visited) };
      if (page.isProbe === true) return probed(page, visited);
      if (outcome.kind === 'read') return read(page, visited, outcome.extraction);
      if (page.known !== undefined && page.unchanged !== undefined)
        return unchanged(page, visited, { ...page.known, ...page.unchanged });
      if (outcome.kind === 'redirect') return redirected(page, visited, outcome.location);
      return failed(page, visited);
    },

    written(visit) {
      const { ops, redirects } = pageOf(visit);
      underWay.delete(visit);
      for (const key of redirects) ledTo.delete(key);
      if (ops !== undefined && places <= maxPages) remember(ops.add);
      // Detail pages go first, so listings that were fetched in advance wait for those that were found now.
      if (ops?.add.some(({ kind }) => kind === 'detail')) ready = ready.filter(({ kind }) => kind === 'detail');
    },

    ending() {
      if (!wasAnyRead()) return unreadEnd(now(), last);
      const typical = failures.typical();
      // No probe could tell whether the pages are broken or the site.
      if (typical !== undefined) return downEnd(typical);
      const left = state.unvisited();
      if (left > 0) return budgetEnd(now(), crawl.maxPages, left);
      return ceilingEnd() ?? wholeEnd();
    },
  };

  function pageOf(visit: Visit): PageUnderWay {
    const page = underWay.get(visit);
    if (page === undefined) throw new Error(`${visit.url}: a page that no crawl asked for`);
    return page;
  }

  function begin(page: PageUnderWay): Visit {
    const { place, known } = page;
    const reading = readings[readAs(place)];
    const visit: Visit = {
      url: place.url,
      reading: wantsFingerprint(guard, crawl) ? { ...reading, fingerprint: true } : reading,
      request: provider.request,
      follows: (url) => follows(page, url),
      ...(place.kind === 'detail' && { keepsPage: true }),
      ...defined({ copy: known?.copy }),
      ...(page.verdict === 'left out' && { isListed: true }),
    };
    underWay.set(visit, page);
    return visit;
  }

  /** Places that the store still offers though they are under way, suspended, or about to leave the frontier. */
  function takenPlaces(): Set<number> {
    const places = [...underWay.values()].flatMap(({ place, ops }) => [
      place,
      ...(ops?.failed ?? []),
      ...(ops?.back ?? []),
    ]);
    return new Set([...places, ...failures.suspended].map(({ seq }) => seq));
  }

  function remember(added: CrawlOps['add']): void {
    for (const { key } of added) if (met.size < mostMet) met.add(key);
  }

  /** Asks for a page that was read before, to learn whether the suspended pages are broken or the site; nothing where no such page is known. */
  function probe(): Visit | undefined {
    const failed = failures.suspended.at(-1);
    if (underWay.size > 0 || failed === undefined) return undefined;
    const place = readLike(failed);
    return place && begin({ place, redirects: [], isProbe: true });
  }

  /** The last page of the same kind that was read, or else of the other kind, unless the pages were refused: then another kind proves nothing. */
  function readLike({ kind }: FrontierPlace): FrontierPlace | undefined {
    return lastRead[kind] ?? (failures.areRefused ? undefined : (lastRead.detail ?? lastRead.listing));
  }

  /** Whether this crawl has read any page. */
  function wasAnyRead(): boolean {
    const { records, startLinks } = state.row();
    return lastRead.detail !== undefined || lastRead.listing !== undefined || records > 0 || startLinks > 0;
  }

  /**
   * Whether a redirect is followed: not to a page that the crawl meets in another way, that is read in another way, or that no link may
   * lead to. A start is what a person asked for, so that only the host of its redirect counts.
   */
  function follows({ place, redirects, isProbe }: PageUnderWay, location: string): boolean {
    const url = canonicalUrl(location, rules.canonical);
    if (isProbe === true) return url !== undefined && !rules.isOffsite(url);
    if (url === undefined || (isStart(place) ? rules.isOffsite(url) : 'refused' in rules.judge(url))) return false;
    if (place.sitemap !== true && rules.kindOf(url) !== place.kind) return false;
    const key = requestKey({ url });
    if (url === place.url || redirects.includes(key)) return true;
    if (state.isSeen(key) || ledTo.has(key)) return false;
    redirects.push(key);
    ledTo.add(key);
    return true;
  }

  function read(page: PageUnderWay, visited: Visited, extraction: Extraction): PageResult {
    const { place } = page;
    const drafts = draftsOf(place, extraction);
    isCut ||= extraction.isCut === true;
    const content = page.content ?? lookThrough(place, extraction, pageRules);
    const { fingerprint, links, sitemaps, changedBy } = extraction;
    const fill = fieldFill(drafts, extraction);
    const gave = { ...content, ...defined({ fingerprint }), sitemaps: sitemaps ?? [], records: drafts.length, fill };
    const result = pageRead(page, visited, gave);
    const copy = copyOfPage(place, visited, { ...defined({ links, sitemaps, changedBy }), fill }, version);
    return copy === undefined ? result : { ...result, ops: { ...result.ops, copy } };
  }

  /** A page that has not changed since it was read counts as read: what it gave then is there. */
  function unchanged(page: PageUnderWay, visited: Visited, known: KnownPage & KnownContent): PageResult {
    const { records } = known;
    const newRecords = records.filter((record) => state.isNewRecord(record)).length;
    return pageRead(page, visited, { ...known, newRecords, records: records.length });
  }

  function pageRead(page: PageUnderWay, visited: Visited, gave: PageGave): PageResult {
    const { place, verdict } = page;
    const isAsked = verdict !== 'left out';
    if (isAsked) lastRead = { ...lastRead, [place.kind]: place };
    const { links, newRecords, records, sitemaps, fill, fingerprint } = gave;
    const crawled = { url: visited.url, detail: place.kind === 'detail', newRecords, ...defined({ fingerprint }) };
    const watched = watchPage(guard, crawled, crawl);
    ({ state: guard } = watched);
    const tally = { records, recordPages: records > 0 ? 1 : 0, newRecords, fieldFill: fill };
    const leads = leadsOf(links, place);
    const effects = resultOf(page, visited, {
      links,
      places: sitemaps.flatMap((url) => placesAt(rules, url, { from: place, sitemap: true })),
      ...(isAsked && { read: place, ...siteAnswered() }),
      ...(verdict === 'unchanged' && visited.result.outcome.kind === 'read' && { contradicts: true }),
      tally: { ...tally, ...(isStart(place) && defined({ startLinks: leads })) },
      ...defined({ leads }),
    });
    // An end for errors goes before one for a loop: pages that could not be read may be why nothing new was found.
    return effects.end !== undefined || watched.verdict.go
      ? effects
      : { ...effects, end: loopEnd(now(), watched.verdict) };
  }

  function redirected(page: PageUnderWay, visited: Visited, location: string): PageResult {
    const target = redirectTarget(rules, location, page.place, crawl.maxDepth);
    return resultOf(page, visited, { ...target, ...(isAnswer(visited.result) && siteAnswered()) });
  }

  function failed(page: PageUnderWay, visited: Visited): PageResult {
    const { place } = page;
    const { result } = visited;
    if (failures.suspend(place, visited)) {
      const mustBeJudged = failures.areMany || isLast(page);
      return mustBeJudged && readLike(place) === undefined
        ? siteIsDown(page, visited)
        : resultOf(page, visited, { stays: true });
    }
    // A page that robots.txt forbids is left alone, as one that a pattern denies; neither is an error.
    const newErrors = isAbsence(result) || isForbidden(result) ? 0 : 1;
    const newForbidden = isForbidden(result) && place.kind === 'detail' ? 1 : 0;
    if (newErrors > 0) failures.count(visited);
    forbidden += newForbidden;
    const tally = { errors: newErrors, forbidden: newForbidden };
    return resultOf(page, visited, { ...(isAnswer(result) && siteAnswered()), tally });
  }

  function probed(page: PageUnderWay, visited: Visited): PageResult {
    if (!isAnswer(visited.result) && !isForbidden(visited.result)) return siteIsDown(page, visited);
    return resultOf(page, visited, { stays: true, ...siteAnswered() });
  }

  /** Any answer of the site means that the suspended pages are broken, not the site. */
  function siteAnswered(): Pick<PageEffects, 'failed' | 'downs'> {
    downs = 0;
    return { failed: failures.settle(), downs };
  }

  /** Ends the scrape, so that the next one asks for the suspended pages again; ends the crawl where that happened too often, or nothing else was there to read. */
  function siteIsDown(page: PageUnderWay, visited: Visited): PageResult {
    const typical = failures.typical() ?? visited;
    if (downs < mostDowns && (wasAnyRead() || failures.areMany)) {
      const effects = { stays: true, back: failures.takeBack(), downs: downs + 1 } as const;
      return { ...resultOf(page, visited, effects), end: downEnd(typical) };
    }
    const effects = resultOf(page, visited, { stays: true, failed: failures.settle() });
    // The crawl ends for its errors if they are too many, unless nothing else was read.
    const end = wasAnyRead() ? (effects.end ?? lostEnd(now(), typical)) : unreadEnd(now(), typical);
    return { ...effects, end };
  }

  /** Whether no place but the suspended ones is left, and no page under way can add one. */
  function isLast(page: PageUnderWay): boolean {
    const others = [...underWay.values()].filter((each) => each !== page);
    return others.every(({ ops }) => ops?.add.length === 0) && state.next(takenPlaces(), 1).length === 0;
  }

  /** The result of a page. Ends the crawl where the page's errors are too many of all pages. */
  function resultOf(page: PageUnderWay, visited: Visited, effects: PageEffects): PageResult {
    const { place, redirects, isProbe } = page;
    const isMet = (key: string): boolean => met.has(key) || ledTo.has(key);
    const ops = crawlOps(place, visited.result, effects, { guard, redirects, isMet });
    page.ops = ops;
    places += ops.add.length;
    const newErrors = ops.tally?.errors ?? 0;
    pages += (ops.failed?.length ?? 0) + (ops.done === undefined ? 0 : 1);
    errors += newErrors;
    const end = newErrors > 0 ? ceilingEnd() : undefined;
    const drafts = place.sitemap === true || isProbe === true ? [] : undefined;
    return { ops: { crawl: ops }, ...defined({ drafts, end }) };
  }

  function ceilingEnd(): ScrapeEnd | undefined {
    const { share, pages: fewest } = crawl.errorCeiling;
    if (pages < fewest || errors <= share * pages) return undefined;
    const common = failures.mostCommon();
    // Where most pages are read and no record is found on any, as after a class was renamed, that is what there is to tell.
    if (common?.cause === 'no_record' && foundNone(state.row().records)) return emptyEnd(now(), pages);
    return errorsEnd(now(), { errors, pages, share }, common);
  }

  /** Whether the crawl has found no record, though the target has some. */
  function foundNone(records: number): boolean {
    return records === 0 && state.hadRecords();
  }

  /** The end of a crawl that has visited all places. Without a record where there were some, other pages may stand in the place of the site's own. */
  function wholeEnd(): ScrapeEnd {
    const row = state.row();
    if (foundNone(row.records)) return emptyEnd(now(), row.pages);
    const reading = { fill: row.fieldFill, isWhole: true };
    return { ...completeEnd(now(), isWhole() ? row.firstScrape : undefined), reading };
  }

  /** Whether a record that was not met is missing: no page was unreadable, cut or forbidden, and the starts still give links. */
  function isWhole(): boolean {
    return !isCut && errors === 0 && forbidden === 0 && (state.row().startLinks > 0 || !state.hadLinks());
  }
}
