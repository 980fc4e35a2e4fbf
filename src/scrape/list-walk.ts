import { isLack } from '../request/failure.ts';
import { hash } from 'node:crypto';
import type { StepOutcome } from '../engine/step.ts';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import type { ListPage, ListPlace, OpenList, OpenProvider } from '../provider/provider.ts';
import { type Fill, fieldFill, fillSum } from '../health/field-fill.ts';
import type { StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/tables/rows.ts';
import { defined } from '../defined.ts';
import type { ErrorTally } from './limits.ts';
import { ListGaps, type ListGapsOptions } from './list-gaps.ts';
import { draftName, type ListResumeOptions, ListResume } from './list-resume.ts';
import { verdictOf } from './run.ts';
import {
  failedEnd,
  type Limited,
  type ScrapeEnd,
  type PageResult,
  type Visit,
  type Visited,
  type Walk,
} from './walk.ts';

/** The inputs of a walk over a list. */
export interface ListWalkOptions {
  readonly url: string;
  readonly provider: Pick<OpenProvider, 'request' | 'forms' | 'advise'>;
  readonly list: OpenList;
  /** `first` until one scrape has completed: such a walk goes to the end of the list. */
  readonly visit: 'first' | 'later';
  /** Whether the walk goes on past known items. */
  readonly isFull: boolean;
  readonly copy?: PageCopy | undefined;
  readonly keepsCopy?: true;
  /** Set where each page of the list has an address of its own, so that its records can be asked for there again. */
  readonly keepsPages?: true | undefined;
  /** Whether a completed scrape has stored the item. */
  isKnown(draft: RecordDraft): boolean;
  readonly errors: ErrorTally;
  /** The gaps that earlier scrapes left; missing where none is kept, as in the windows of a register. */
  readonly gaps?: ListGapsOptions | undefined;
  /** Pages that are read at least, whatever is known. Default: 1. */
  readonly atLeast?: number | undefined;
  /** The number of the scrape; records that it does not meet are missing once it has read the whole list. Missing where that says nothing. */
  readonly scrape?: number | undefined;
  /** Pause before the first page, in milliseconds. */
  readonly afterMs?: number;
  /** Set where the next scrape resumes a walk to the end of the list that was cut. */
  readonly resume?: ListResumeOptions | undefined;
}

type ReadOutcome = Extract<StepOutcome, { readonly kind: 'read' }>;

/**
 * The largest number of pages of a list, over all scrapes of one walk. A walk that ends here does not settle, since the
 * pages behind were not seen.
 */
const mostPages = 100_000;

/** The number of empty pages in a row after which a list is not read on, even if they name a next page. */
const mostEmptyPages = 10;

/**
 * Reads a list over several pages, the newest items first: at the first visit to its end, later up to the page that
 * holds a known item. A walk that was cut on its way to the end continues where it stopped; items that came to the head
 * since then are left to later visits. `advance` throws if no page was pending, `limited` if no page was read yet.
 */
export function listWalk(options: ListWalkOptions): Walk {
  const { list, provider, errors } = options;
  const isLimited = options.visit === 'later' && !options.isFull;
  const resume = isLimited || options.resume === undefined ? undefined : new ListResume(options.resume);
  /** The page at which the walk resumes, until that page was read. */
  let resumed = resume?.place;
  const firstPlace = list.first(options.url, options.visit);
  const gaps = options.gaps && new ListGaps(options.gaps, { first: firstPlace, maxPages: list.maxPages });
  let lastRead: ListPlace | undefined;
  let place: ListPlace | undefined = resumed ?? firstPlace;
  /** Digests of the pages that were requested, so that none is requested twice; a cursor itself may be long. */
  const places = new Set([nameOf(place)]);
  /** The contents of the pages so far, as digests of the keys of their drafts. */
  const shown = new Set<string>();
  let emptyPages = 0;
  /** The last page that had items, and the first of the empty pages with which a list that is counted seems to end. */
  let lastFull: ListPlace = firstPlace;
  let lastEmpty: number | undefined;
  /** The empty page that ends the walk as it should have items. */
  let brokenAt: number | undefined;
  let [drafted, refused] = [0, 0];
  /** Whether a page was read of which limits left something out. */
  let isCut = false;
  /** What the walk has read so far, and whether that is the whole list. */
  let fill: Fill = {};
  let wasWhole = false;
  /** The names of the drafts on the last page that was not empty. */
  let onLast: ReadonlySet<string> = new Set();

  return {
    width: 1,
    next() {
      if (place === undefined) return undefined;
      return visitOf(place);
    },
    advance(_, visited) {
      const at = place;
      place = undefined;
      if (at === undefined) throw new Error(`${options.url}: a page of no list was read`);
      const { outcome } = visited.result;
      // The page may have moved since then, or the site may refuse its cursor.
      if (at === resumed && !isThere(visited)) return begin();
      if (outcome.kind === 'unmodified') return withGaps({}, closeGaps('unmodified'));
      if (outcome.kind === 'read') return read(at, visited, outcome);
      // Behind the last page of a list that is counted, many sites have none.
      const isNone = at.page > 1 && list.isCounted && visited.result.trouble?.cause === 'not_found';
      if (isNone && at !== gaps?.begun) {
        const end = emptyPage(at, list.after(at, { extraction: nothing, url: visited.url }, options.visit), 'end');
        return withGaps(defined({ ops: end && (brokenAt === undefined ? resume?.end() : overOps(at, end)) }), end);
      }
      if (gaps?.isClosing && !isLack(outcome)) {
        gaps.failed(isPassing(visited));
        return withGaps({}, complete('catching_up'));
      }
      // No request was made, so that nothing was learned of the page.
      if (isLack(outcome)) return { end: failedEnd(visited) };
      // After a failure that may pass the next scrape resumes at the page; after any other its cursor may be wrong, so the list is begun anew.
      const ops = isPassing(visited) ? resume?.stuck() : resume?.begin();
      return { end: failedEnd(visited), ...defined({ ops }) };
    },
    ending: () => complete('end'),
    ...(resume && { limited: () => ended(resume) }),
  };

  /** Ends a walk to the end of the list at a limit. */
  function ended(kept: ListResume): Limited {
    if (lastRead === undefined) throw new Error(`${options.url}: a limit was met before a page was read`);
    return { ops: kept.over(lastRead), gap: gapBehind(lastRead) };
  }

  /** Whether the page at which a cut walk resumes still begins with a known record, or failed so that this is not known. */
  function isThere(visited: Visited): boolean {
    const { outcome } = visited.result;
    if (outcome.kind === 'read') return resume?.joins(outcome.extraction.drafts) === true;
    return isPassing(visited);
  }

  function begin(): PageResult {
    resumed = undefined;
    place = list.first(options.url, options.visit);
    places.clear();
    places.add(nameOf(place));
    return { drafts: [], ...defined({ ops: resume?.begin() }) };
  }

  function visitOf(at: ListPlace): Visit {
    const { url, page } = at;
    const { advise } = provider;
    return {
      url,
      page,
      reading: page === 1 ? list.reading : laterPage(list.reading),
      ...defined({
        keepsCopy: page === 1 && options.keepsCopy === true ? (true as const) : undefined,
        copy: page === 1 && options.copy !== undefined ? options.copy : undefined,
        afterMs: page === 1 && options.afterMs !== undefined ? options.afterMs : undefined,
        advise,
        keepsPage: options.keepsPages,
        forms: provider.forms?.(url, at),
      }),
      request: (address, copy, hop) => provider.request(address, copy, hop, at),
    };
  }

  function read(at: ListPlace, { url }: Visited, { extraction, nextLink }: ReadOutcome): PageResult {
    lastRead = at;
    const { drafts } = extraction;
    const names = drafts.map(draftName);
    const standing = names.filter((name) => onLast.has(name));
    const own = drafts.filter((_, index) => !onLast.has(names[index] ?? ''));
    const order = gaps?.order;
    const end = goOn(at, { url, extraction, ...defined({ nextLink }) }, own);
    // What lies behind a broken page is read again with that page, or it would stand before it.
    if (brokenAt !== undefined)
      return { ...withGaps(defined({ ops: resume?.broken(brokenAt, firstPlace) }), end), drafts: [] };
    if (drafts.length > 0) onLast = new Set(names);
    const ops = resume?.read({ place: at, drafts, standing }) ?? order;
    if (end === undefined) return withGaps(defined({ ops }));
    const over = resume && overOps(at, end);
    return withGaps(defined({ ops: ops && { ...ops, ...over } }), end);
  }

  /** The point at which the next scrape resumes a walk to the end of the list that ends here. */
  function overOps(at: ListPlace, { status }: ScrapeEnd): Pick<StepOps, 'resume'> | undefined {
    // Only the limit of pages aborts a walk here.
    if (status === 'aborted') return resume?.over(at);
    return brokenAt === undefined ? { resume: 'none' } : resume?.broken(brokenAt, firstPlace);
  }

  /** The result of a page, with the gaps as they are now. */
  function withGaps({ ops }: Pick<PageResult, 'ops'>, end?: ScrapeEnd): PageResult {
    const changed = gaps?.changed;
    const all = changed === undefined ? ops : { ...ops, gaps: changed };
    const isRevisit = end?.status === 'complete' && (!isLimited || options.atLeast !== undefined);
    if (end === undefined) return defined({ ops: all });
    const isCompared = end.status === 'complete' && options.scrape !== undefined;
    const reading = isCompared ? { fill, isWhole: wasWhole } : undefined;
    return { ...defined({ ops: all }), end: { ...end, ...(isRevisit && { isRevisit }), ...defined({ reading }) } };
  }

  /** Goes on at the newest gap, or returns the end of the walk. */
  function closeGaps(reason: string): ScrapeEnd | undefined {
    place = gaps?.begin();
    if (place === undefined) return complete(gaps === undefined || gaps.areClosed ? reason : 'catching_up');
    shown.clear();
    onLast = new Set();
    emptyPages = 0;
    lastEmpty = undefined;
    return undefined;
  }

  /** Goes on within a gap, to the next gap, or returns the end of the walk. */
  function closeOn(
    at: ListPlace,
    next: ListPlace | undefined,
    own: readonly RecordDraft[],
    drafts: readonly RecordDraft[],
  ): ScrapeEnd | undefined {
    const read = gaps?.read(at, own, drafts);
    if (read === 'closed') return closeGaps('known');
    if (read === 'spent') return complete('catching_up');
    if (read === 'moved') {
      place = firstPlace;
      return undefined;
    }
    place = emptyPages < mostEmptyPages ? next : undefined;
    if (place !== undefined) return undefined;
    gaps?.end();
    return complete('end');
  }

  /**
   * Goes on behind a page that holds nothing and leads nowhere, or returns the end of the walk: the list ends there, or the page is broken.
   * If the page before leads to it, or there are items behind it, it is broken, unless it was so in three scrapes in a row.
   */
  function emptyPage(at: ListPlace, next: ListPlace | undefined, reason: string): ScrapeEnd | undefined {
    const isDoubtful = at.page > 1 && (resume ?? gaps) !== undefined;
    if (isDoubtful && list.isLinked && !isConfirmedEmpty(at.page))
      return broken(at.page, `page ${at.page - 1} leads to it`);
    // One more page tells, whose address is known where pages are counted.
    if (isDoubtful && !list.isLinked && next !== undefined && lastEmpty === undefined) {
      lastEmpty = at.page;
      place = next;
      return undefined;
    }
    if (!gaps?.isClosing) return wholeEnd(reason);
    gaps.end();
    return complete('end');
  }

  /** Whether so many scrapes in a row found a page empty that there is nothing on it. */
  function isConfirmedEmpty(page: number): boolean {
    if (resume !== undefined) return resume.isEmpty(page);
    return gaps === undefined || gaps.isEmpty(page);
  }

  /** Ends the walk before an empty page that should have items: the next scrape goes on there. */
  function broken(page: number, why: string): ScrapeEnd {
    brokenAt = page;
    if (resume !== undefined || gaps === undefined) return brokenPage(page, why);
    gaps.broken(page, lastFull, drafted);
    return { ...complete('catching_up'), ...(!gaps.isClosing && { gap: gapBehind(lastFull) }) };
  }

  /** The end of a walk that has read the list to its end. What it did not meet is missing, if it could read all that it met. */
  function wholeEnd(reason: string): ScrapeEnd {
    gaps?.end();
    const isSure = drafted > 0 && refused === 0 && !isCut && options.scrape !== undefined;
    const since = resume === undefined ? options.scrape : resume.since;
    // What earlier scrapes of a walk that was resumed have read is not counted here.
    wasWhole = since === options.scrape && !isCut;
    return { ...complete(reason), ...(isSure && defined({ missingSince: since })) };
  }

  /**
   * Goes on to the next page, or returns the end of the walk. `own` are the drafts that did not stand on the page
   * before as well.
   */
  function goOn(at: ListPlace, page: ListPage, own: readonly RecordDraft[]): ScrapeEnd | undefined {
    const { extraction } = page;
    const { drafts, finished } = extraction;
    const tooMany = errors.add(extraction);
    if (tooMany !== undefined) return { status: 'failed', finished: false, failure: tooMany };
    if (finished) return { ...complete('finished'), finished };
    drafted += drafts.length;
    fill = fillSum(fill, fieldFill(own, extraction));
    refused += extraction.refused;
    isCut ||= extraction.isCut === true;
    const isEmpty = drafts.length === 0 && extraction.items === 0;
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    const next = list.after(at, page, options.visit);
    if (lastEmpty !== undefined && !isEmpty) {
      if (!isConfirmedEmpty(lastEmpty)) return broken(lastEmpty, `page ${at.page} behind it has items`);
      lastEmpty = undefined;
    }
    if (!isEmpty) lastFull = at;
    if (isEmpty && !leadsOn(at, next, extraction)) return emptyPage(at, next, 'empty');
    if (gaps?.isClosing) return closeOn(at, next, own, drafts);
    if (isLimited && endsKnown(at, own)) return next === undefined ? wholeEnd('known') : closeGaps('known');
    if (next === undefined) return wholeEnd('end');
    const name = nameOf(next);
    if (places.has(name)) return looped(next);
    if (emptyPages >= mostEmptyPages) return { ...limited(at), reason: 'empty' };
    // Behind its last page a list may show that page again, or the first one. Then all of the list was seen.
    if (drafts.length > 0) {
      const keys = digest(drafts.map(({ type, key }) => [type, key]));
      if (shown.has(keys)) return complete('repeated');
      shown.add(keys);
    }
    if (isLimited && at.page >= Math.max(list.maxPages, options.atLeast ?? 1)) {
      gaps?.leave(at, drafted);
      return limited(at);
    }
    if (at.page >= mostPages) return { ...limited(at), status: 'aborted' };
    places.add(name);
    place = next;
    return undefined;
  }

  /** Whether an empty page names a next page. A list whose pages are counted could otherwise go on for ever. */
  function leadsOn(at: ListPlace, next: ListPlace | undefined, { next: named }: Extraction): boolean {
    if (next === undefined) return false;
    return !list.isCounted || (named !== undefined && nameOf(next) !== nameOf(at));
  }

  /** Whether the page ends with a known item. One above something new is pinned there, or was brought up. */
  function endsKnown({ page }: ListPlace, own: readonly RecordDraft[]): boolean {
    const last = own.at(-1);
    return last !== undefined && page >= (options.atLeast ?? 1) && options.isKnown(last);
  }
}

/** What a page that is not there holds. */
const nothing: Extraction = { drafts: [], finished: false, items: 0, refused: 0, absent: [], unparsed: [] };

/** Whether the failure of a page may pass, so that it says nothing of the page. */
function isPassing(visited: Visited): boolean {
  return verdictOf(visited, 'unused') !== 'good';
}

function complete(reason: string): ScrapeEnd {
  return { status: 'complete', reason, finished: false };
}

/** The reading of a later page. Only the first page of a list may not be empty. */
export function laterPage(reading: OpenList['reading']): OpenList['reading'] {
  return { ...reading, plan: { ...reading.plan, id: `${reading.plan.id}+`, mayBeEmpty: true } };
}

/** The end of a walk at an empty page that should have items. The next scrape resumes before it. */
function brokenPage(page: number, why: string): ScrapeEnd {
  const message = `page ${page} has no item, though ${why}`;
  return { status: 'failed', reason: 'empty', finished: false, failure: { code: 'empty_page', message } };
}

function limited(at: ListPlace): ScrapeEnd {
  return { ...complete('page_limit'), gap: gapBehind(at) };
}

/** The gap that is reported when all pages behind `page` are left out. */
function gapBehind({ page, url }: ListPlace): Limited['gap'] {
  return { pages: page, url };
}

function looped({ url, page, cursor }: ListPlace): ScrapeEnd {
  const where = cursor === undefined ? url : cursorText(cursor);
  const message = `page ${page - 1} leads to a page that was asked for before: ${where}`;
  return { status: 'failed', reason: 'loop', finished: false, failure: { code: 'pagination_loop', message } };
}

function nameOf({ url, cursor, body }: ListPlace): string {
  return digest([url, cursor ?? null, body ?? null]);
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64');
}

function cursorText(cursor: Value): string {
  const text = typeof cursor === 'string' ? cursor : JSON.stringify(cursor);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
