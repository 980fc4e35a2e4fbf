import { hash } from 'node:crypto';
import type { StepOutcome } from '../engine/step.ts';
import type { Extraction, RecordDraft, Value } from '../extract/draft.ts';
import type { ListPage, ListPlace, OpenList, OpenProvider } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/rows.ts';
import type { ErrorTally } from './errors.ts';
import { isLack } from './own-failures.ts';
import { draftName, type ReachOptions, ReachKeeper } from './reach.ts';
import { verdictOf } from './run.ts';
import type { ScrapeEnd } from './scrape-end.ts';
import { failedEnd, type Limited, type Taken, type Visit, type Visited, type Walk } from './walk.ts';

export interface ListWalkOptions {
  readonly url: string;
  readonly provider: Pick<OpenProvider, 'request' | 'advise'>;
  readonly list: OpenList;
  /** `first` until one scrape has completed; it goes to the end. */
  readonly visit: 'first' | 'later';
  /** Whether to go on past what is known. */
  readonly isFull: boolean;
  readonly copy?: PageCopy | undefined;
  readonly keepsCopy?: true;
  /** Whether a scrape that completed has stored it. */
  isKnown(draft: RecordDraft): boolean;
  readonly errors: ErrorTally;
  /** Waited for before the first page, in milliseconds. */
  readonly afterMs?: number;
  /** Set where a walk to the end of the list is to be gone on with, should it be cut. */
  readonly reach?: ReachOptions | undefined;
}

type ReadOutcome = Extract<StepOutcome, { readonly kind: 'read' }>;

/**
 * No list has more pages, unless each shows something else for ever; a walk over several scrapes counts them all. What is behind was not
 * seen, so that it does not settle.
 */
const mostPages = 100_000;

/** Behind so many pages in a row that hold nothing a list is not read on, whatever they say comes next. */
const mostEmptyPages = 10;

/**
 * A list over several pages, the newest items first: to its end at the first visit, later up to the page with something known. One
 * that was cut on its way to the end goes on where it stood; what is new at the head since then is left to later visits.
 */
export function listWalk(options: ListWalkOptions): Walk {
  const { list, provider, errors } = options;
  const isLimited = options.visit === 'later' && !options.isFull;
  const keeper = isLimited || options.reach === undefined ? undefined : new ReachKeeper(options.reach);
  let resumed = keeper?.place;
  let lastRead: ListPlace | undefined;
  let place: ListPlace | undefined = resumed ?? list.first(options.url, options.visit);
  /** What has led to a page, so that no page is asked for twice; digests, since a cursor may be long. */
  const places = new Set([nameOf(place)]);
  /** What pages held, as digests of the keys of their drafts. */
  const shown = new Set<string>();
  let emptyPages = 0;
  /** What the last page that held something held, by name. */
  let onLast: ReadonlySet<string> = new Set();

  return {
    width: 1,
    next() {
      if (place === undefined) return undefined;
      return visitOf(place);
    },
    took(_, visited) {
      const at = place;
      place = undefined;
      if (at === undefined) throw new Error(`${options.url}: a page of no list was read`);
      const { outcome } = visited.asked;
      // The page may be elsewhere by now, or what leads there refused.
      if (at === resumed && !isThere(visited)) return begin();
      if (outcome.kind === 'unmodified') return { end: complete('unmodified') };
      if (outcome.kind === 'read') return read(at, visited, outcome);
      // Behind the last page of a list that is counted, many sites have none; one that a page itself led to is missing.
      if (at.page > 1 && list.isCounted && visited.asked.trouble?.cause === 'not_found')
        return { end: complete('end'), ...(keeper && { ops: keeper.end() }) };
      // Nobody was asked: that says nothing of the place.
      if (isLack(outcome)) return { end: failedEnd(visited) };
      // What may pass leaves the place as it is; else what leads there may be wrong, and the list is begun anew.
      const ops = isPassing(visited) ? keeper?.stuck() : keeper?.begin();
      return { end: failedEnd(visited), ...(ops && { ops }) };
    },
    ending: () => complete('end'),
    ...(keeper && { limited: () => ended(keeper) }),
  };

  /** A walk to the end that a limit ends on its way. */
  function ended(kept: ReachKeeper): Limited {
    if (lastRead === undefined) throw new Error(`${options.url}: a limit was met before a page was read`);
    return { ops: kept.over(lastRead), gap: gapBehind(lastRead) };
  }

  /** Whether a page that was gone on with holds what was read there, as far as can be told. */
  function isThere(visited: Visited): boolean {
    const { outcome } = visited.asked;
    if (outcome.kind === 'read') return keeper?.joins(outcome.extraction.drafts) === true;
    return isPassing(visited);
  }

  function begin(): Taken {
    resumed = undefined;
    place = list.first(options.url, options.visit);
    places.clear();
    places.add(nameOf(place));
    return { drafts: [], ...(keeper && { ops: keeper.begin() }) };
  }

  function visitOf(at: ListPlace): Visit {
    const { url, page } = at;
    const { advise } = provider;
    return {
      url,
      page,
      reading: page === 1 ? list.reading : laterPage(list.reading),
      ...(page === 1 && options.keepsCopy === true && { keepsCopy: true }),
      ...(page === 1 && options.copy !== undefined && { copy: options.copy }),
      ...(page === 1 && options.afterMs !== undefined && { afterMs: options.afterMs }),
      ...(advise !== undefined && { advise }),
      request: (asked, copy, hop) => provider.request(asked, copy, hop, at),
    };
  }

  function read(at: ListPlace, { url }: Visited, { extraction, nextLink }: ReadOutcome): Taken {
    lastRead = at;
    const { drafts } = extraction;
    const names = drafts.map(draftName);
    const standing = names.filter((name) => onLast.has(name));
    const own = drafts.filter((_, index) => !onLast.has(names[index] ?? ''));
    const end = goOn(at, { url, extraction, ...(nextLink !== undefined && { nextLink }) }, own);
    if (drafts.length > 0) onLast = new Set(names);
    const ops = keeper?.read({ place: at, drafts, standing });
    if (end === undefined) return { ...(ops && { ops }) };
    // It is aborted by its limit of pages alone.
    const over: Pick<StepOps, 'reach'> | undefined = end.status === 'aborted' ? keeper?.over(at) : { reach: 'none' };
    return { ...(ops && { ops: { ...ops, ...over } }), end };
  }

  /** Goes on to the page behind one, or says how the list ends there; `own` is what did not stand on the page before as well. */
  function goOn(at: ListPlace, page: ListPage, own: readonly RecordDraft[]): ScrapeEnd | undefined {
    const { extraction } = page;
    const { drafts, finished } = extraction;
    const tooMany = errors.add(extraction);
    if (tooMany !== undefined) return { status: 'failed', finished: false, failure: tooMany };
    if (finished) return { ...complete('finished'), finished };
    const isEmpty = drafts.length === 0 && extraction.items === 0;
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    if (isLimited && stopsAt(at, own)) return complete('known');
    const next = list.after(at, page, options.visit);
    if (isEmpty && !leadsOn(at, next, extraction)) return complete('empty');
    if (next === undefined) return complete('end');
    const name = nameOf(next);
    if (places.has(name)) return looped(next);
    if (emptyPages >= mostEmptyPages) return { ...limited(at), reason: 'empty' };
    // Behind its last page a list may show that one again, or the first: from there on all is as it was, and all of it was seen.
    if (drafts.length > 0) {
      const keys = digest(drafts.map(({ type, key }) => [type, key]));
      if (shown.has(keys)) return complete('repeated');
      shown.add(keys);
    }
    if (isLimited && at.page >= list.maxPages) return limited(at);
    if (at.page >= mostPages) return { ...limited(at), status: 'aborted' };
    places.add(name);
    place = next;
    return undefined;
  }

  /** Whether a page that holds nothing says what comes next: a list that is counted could go on for ever without. */
  function leadsOn(at: ListPlace, next: ListPlace | undefined, { next: said }: Extraction): boolean {
    if (next === undefined) return false;
    return !list.isCounted || (said !== undefined && nameOf(next) !== nameOf(at));
  }

  /** Whether something on the page was there before; what may be pinned to the head of the first page, or to all, does not count. */
  function stopsAt({ page }: ListPlace, own: readonly RecordDraft[]): boolean {
    const known = own.map((draft) => options.isKnown(draft));
    const firstNew = known.indexOf(false);
    const pinned = page === 1 && firstNew > 0 && firstNew <= list.pinned ? firstNew : 0;
    return known.slice(pinned).includes(true);
  }
}

/** Whether a page that could not be had may be had another time: nothing was said of it. */
function isPassing(visited: Visited): boolean {
  return verdictOf(visited, 'unused') !== 'good';
}

function complete(reason: string): ScrapeEnd {
  return { status: 'complete', reason, finished: false };
}

/** Only the first page of a list says that there is nothing by having nothing. */
function laterPage(reading: OpenList['reading']): OpenList['reading'] {
  return { ...reading, plan: { ...reading.plan, id: `${reading.plan.id}+`, mayBeEmpty: true } };
}

function limited(at: ListPlace): ScrapeEnd {
  return { ...complete('page_limit'), gap: gapBehind(at) };
}

/** What is told of a list whose pages behind that one are left out. */
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
