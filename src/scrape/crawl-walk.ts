import type { Crawl } from '../definition/crawl.ts';
import type { Extraction } from '../extract/draft.ts';
import { canonicalUrl } from '../frontier/canonical.ts';
import { newGuard, wantsFingerprint, watchPage } from '../frontier/guard.ts';
import { requestKey } from '../frontier/key.ts';
import { linkRules } from '../frontier/links.ts';
import type { OpenProvider } from '../provider/provider.ts';
import type { Place } from '../store/tables/frontier.ts';
import { budgetEnd, completeEnd, downEnd, errorsEnd, lostEnd, loopEnd, unreadEnd } from './crawl-end.ts';
import { draftsOf, isLarge, lookThrough, lookThroughInTurns, type PageRules, startTally } from './crawl-page.ts';
import { elsewhere, isStart, placesAt } from './crawl-places.ts';
import type { CrawlState } from './crawl-state.ts';
import { type Adds, crawlOps, leaving, readingsOf, type UnderWay } from './crawl-step.ts';
import { isLack } from './own-failures.ts';
import { isAbsence, isAnswer, PageFailures, wasLeft } from './page-failures.ts';
import { fillOf } from './page-tally.ts';
import type { ScrapeEnd } from './scrape-end.ts';
import { failedEnd, type Taken, type Visit, type Visited, type Walk } from './walk.ts';

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

/** A crawl whose site was down for more scrapes in a row than these is given up. */
const mostDowns = 3;

/** A site, page by page: those that may hold records first, each once, until none is left or a guard says that there is no end. */
export function crawlWalk({ crawl, startUrls, provider, width, state, now }: CrawlWalkOptions): Walk {
  const rules = linkRules(crawl, startUrls);
  const pageRules: PageRules = { rules, maxDepth: crawl.maxDepth, isNew: (draft) => state.isNew(draft) };
  const readings = readingsOf(provider);
  const underWay = new Map<Visit, UnderWay>();
  /** All that is `led` to by what is under way. */
  const ledTo = new Set<string>();
  const except = new Set<number>();
  const failures = new PageFailures();
  let ready: Place[] = [];
  let guard = state.row().guard ?? newGuard;
  let { pages, errors, forbidden } = state.row();
  let { lastRead = {}, downs = 0 } = state.row();
  let last: Visited | undefined;

  return {
    width,
    next() {
      if (ready.length === 0) ready = [...state.next(except, width)];
      const place = failures.areMany ? undefined : ready.shift();
      if (place === undefined) return probe();
      except.add(place.seq);
      return begin({ place, led: [] });
    },
    prepare(visit, { asked: { outcome } }) {
      const about = aboutOf(visit);
      if (about.isProbe === true || outcome.kind !== 'read' || !isLarge(outcome.extraction)) return undefined;
      return lookThroughInTurns(about.place, outcome.extraction, pageRules).then((found) => {
        about.found = found;
      });
    },
    took(visit, visited) {
      const about = aboutOf(visit);
      last = visited;
      const { outcome } = visited.asked;
      // The next scrape asks for it, and for the pages of the row.
      if (isLack(outcome))
        return { ...done(about, visited, { stays: true, back: failures.takeBack() }), end: failedEnd(visited) };
      if (about.isProbe === true) return probed(about, visited);
      if (outcome.kind === 'read') return read(about, visited, outcome.extraction);
      if (outcome.kind === 'redirect') return led(about, visited, outcome.location);
      return failed(about, visited);
    },
    wrote(visit) {
      const { led, ops } = aboutOf(visit);
      for (const key of led) ledTo.delete(key);
      if (ops !== undefined) for (const seq of leaving(ops)) except.delete(seq);
      underWay.delete(visit);
      // What was put aside before has to wait for what comes first.
      if (ops?.add.some(({ kind }) => kind === 'detail')) ready = ready.filter(({ kind }) => kind === 'detail');
    },
    ending() {
      if (!wasRead()) return unreadEnd(now(), last);
      const typical = failures.typical();
      // No page is known that could tell what is broken.
      if (typical !== undefined) return downEnd(typical);
      const left = state.unvisited();
      if (left > 0) return budgetEnd(now(), crawl.maxPages, left);
      return ceilingEnd() ?? completeEnd(now(), isWhole() ? state.row().firstScrape : undefined);
    },
  };

  function aboutOf(visit: Visit): UnderWay {
    const about = underWay.get(visit);
    if (about === undefined) throw new Error(`${visit.url}: a page that no crawl asked for`);
    return about;
  }

  function begin(about: UnderWay): Visit {
    const { place } = about;
    const reading = place.sitemap === true ? readings.sitemap : readings[place.kind];
    const visit: Visit = {
      url: place.url,
      reading: wantsFingerprint(guard, crawl) ? { ...reading, fingerprint: true } : reading,
      request: provider.request,
      follows: (url) => follows(about, url),
    };
    underWay.set(visit, about);
    return visit;
  }

  /** Tells what is broken, the pages of the row or the site; nothing where there is no row, or no page to tell by. */
  function probe(): Visit | undefined {
    if (underWay.size > 0 || failures.latest === undefined) return undefined;
    const place = readLike(failures.latest);
    return place && begin({ place, led: [], isProbe: true });
  }

  /** The last page that was read, of the same kind if there is one; another kind says nothing of many that were refused. */
  function readLike({ kind }: Place): Place | undefined {
    return lastRead[kind] ?? (failures.areRefused ? undefined : (lastRead.detail ?? lastRead.listing));
  }

  /** Whether this crawl has read a page; one that began under an older program may not know which. */
  function wasRead(): boolean {
    const { records, startLinks } = state.row();
    return lastRead.detail !== undefined || lastRead.listing !== undefined || records > 0 || startLinks > 0;
  }

  /**
   * A redirect to a page that is met by another way, that is read in another way, or that no link may lead to, leads no further. Where
   * a crawl begins is what a person wants, so that its host alone decides.
   */
  function follows({ place, led, isProbe }: UnderWay, location: string): boolean {
    const url = canonicalUrl(location, rules.canonical);
    if (isProbe === true) return url !== undefined && !rules.isOffsite(url);
    if (url === undefined || (isStart(place) ? rules.isOffsite(url) : 'refused' in rules.judge(url))) return false;
    if (place.sitemap !== true && rules.kindOf(url) !== place.kind) return false;
    const key = requestKey({ url });
    if (url === place.url || led.includes(key)) return true;
    if (state.isSeen(key) || ledTo.has(key)) return false;
    led.push(key);
    ledTo.add(key);
    return true;
  }

  function read(about: UnderWay, visited: Visited, extraction: Extraction): Taken {
    const { place } = about;
    lastRead = { ...lastRead, [place.kind]: place };
    const drafts = draftsOf(place, extraction);
    const { links, newRecords } = about.found ?? lookThrough(place, extraction, pageRules);
    const { fingerprint } = extraction;
    const page = { url: visited.url, detail: place.kind === 'detail', newRecords, ...(fingerprint && { fingerprint }) };
    const watched = watchPage(guard, page, crawl);
    ({ state: guard } = watched);
    const fieldFill = fillOf(drafts, extraction);
    const taken = done(about, visited, {
      links,
      places: (extraction.sitemaps ?? []).flatMap((url) => placesAt(rules, url, { from: place, sitemap: true })),
      read: place,
      ...answered(),
      tally: { records: drafts.length, newRecords, fieldFill, ...startTally(links, place) },
    });
    // Of the two ends, that for errors: pages that could not be read may be why nothing new was found.
    return taken.end !== undefined || watched.verdict.go ? taken : { ...taken, end: loopEnd(now(), watched.verdict) };
  }

  function led(about: UnderWay, visited: Visited, location: string): Taken {
    const adds = elsewhere(rules, location, about.place, crawl.maxDepth);
    return done(about, visited, { ...adds, ...(isAnswer(visited.asked) && answered()) });
  }

  function failed(about: UnderWay, visited: Visited): Taken {
    const [{ place }, { asked }] = [about, visited];
    if (failures.add(place, visited)) {
      const isOpen = failures.areMany || isLast(about);
      return isOpen && readLike(place) === undefined ? down(about, visited) : done(about, visited, { stays: true });
    }
    // What robots.txt asks to leave alone is left, as what a pattern denies is.
    const newErrors = isAbsence(asked) || wasLeft(asked) ? 0 : 1;
    const newForbidden = wasLeft(asked) && place.kind === 'detail' ? 1 : 0;
    if (newErrors > 0) failures.count(visited);
    forbidden += newForbidden;
    const tally = { errors: newErrors, forbidden: newForbidden };
    return done(about, visited, { ...(isAnswer(asked) && answered()), tally });
  }

  function probed(about: UnderWay, visited: Visited): Taken {
    if (!isAnswer(visited.asked) && !wasLeft(visited.asked)) return down(about, visited);
    return done(about, visited, { stays: true, ...answered() });
  }

  /** What an answer of the site adds: the pages of the row are what is broken. */
  function answered(): Pick<Adds, 'failed' | 'downs'> {
    downs = 0;
    return { failed: failures.settle(), downs };
  }

  /** The site is down: the next scrape asks for the row again, unless that was so too often, or it is all that there was to read. */
  function down(about: UnderWay, visited: Visited): Taken {
    const typical = failures.typical() ?? visited;
    if (downs < mostDowns && (wasRead() || failures.areMany)) {
      const adds = { stays: true, back: failures.takeBack(), downs: downs + 1 } as const;
      return { ...done(about, visited, adds), end: downEnd(typical) };
    }
    const taken = done(about, visited, { stays: true, failed: failures.settle() });
    // Its errors are why a crawl ends, unless there was nothing else.
    const end = wasRead() ? (taken.end ?? lostEnd(now(), typical)) : unreadEnd(now(), typical);
    return { ...taken, end };
  }

  /** Whether nothing is left to ask, nor may be found by what is under way, but the pages of the row. */
  function isLast(about: UnderWay): boolean {
    const others = [...underWay.values()].filter((each) => each !== about);
    return others.every(({ ops }) => ops?.add.length === 0) && state.next(except, 1).length === 0;
  }

  /** Ends the crawl if too many of all its pages are errors now. */
  function done(about: UnderWay, visited: Visited, adds: Adds): Taken {
    const { place, isProbe } = about;
    const ops = crawlOps(about, visited, adds, { guard, ledTo });
    about.ops = ops;
    const newErrors = ops.tally?.errors ?? 0;
    pages += (ops.failed?.length ?? 0) + (ops.done === undefined ? 0 : 1);
    errors += newErrors;
    const end = newErrors > 0 ? ceilingEnd() : undefined;
    return {
      ops: { crawl: ops },
      ...((place.sitemap === true || isProbe === true) && { drafts: [] }),
      ...(end !== undefined && { end }),
    };
  }

  function ceilingEnd(): ScrapeEnd | undefined {
    const { share, pages: fewest } = crawl.errorCeiling;
    if (pages < fewest || errors <= share * pages) return undefined;
    return errorsEnd(now(), { errors, pages, share }, failures.mostCommon());
  }

  /** A page that could not be read, or was left alone, may hold what looks missing; a start that has lost its links shows another page in its place. */
  function isWhole(): boolean {
    const { startLinks } = state.row();
    return errors === 0 && forbidden === 0 && (startLinks > 0 || !state.hadLinks());
  }
}
