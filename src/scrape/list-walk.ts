import { hash } from 'node:crypto';
import type { Extraction, RecordDraft, Value } from '../extract/draft.ts';
import type { ListPlace, OpenList, OpenProvider } from '../provider/provider.ts';
import type { Close } from '../store/ops.ts';
import type { PageCopy } from '../store/rows.ts';
import type { ErrorTally } from './errors.ts';
import { failedEnd, type Taken, type Visit, type Visited, type Walk } from './walk.ts';

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
}

/** No list has more pages, unless each shows something else for ever: what is behind was not seen, so that it does not settle. */
const mostPages = 100_000;

/** So many pages in a row that hold nothing are the end of a list, whatever they say comes next. */
const mostEmptyPages = 3;

type End = Omit<Close, 'copy'>;

/** A list over several pages, the newest items first: to its end at the first visit, later up to the page with something known. */
export function listWalk(options: ListWalkOptions): Walk {
  const { list, provider, errors } = options;
  let place: ListPlace | undefined = list.first(options.url, options.visit);
  /** What has led to a page, so that no page is asked for twice; digests, since a cursor may be long. */
  const places = new Set([nameOf(place)]);
  /** What pages held, as digests of the keys of their drafts. */
  const shown = new Set<string>();
  let emptyPages = 0;

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
      if (outcome.kind === 'unmodified') return { end: complete('unmodified') };
      if (outcome.kind === 'read') return read(at, visited, outcome.extraction, outcome.nextLink);
      // Behind the last page of a list that is counted, many sites have none; one that a page itself led to is missing.
      if (at.page > 1 && list.isCounted && visited.asked.trouble?.cause === 'not_found')
        return { end: complete('end') };
      return { end: failedEnd(visited) };
    },
    ending: () => complete('end'),
  };

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

  function read(at: ListPlace, { url }: Visited, extraction: Extraction, nextLink: string | undefined): Taken {
    const { drafts, finished } = extraction;
    const tooMany = errors.add(extraction);
    if (tooMany !== undefined) return { end: { status: 'failed', finished: false, failure: tooMany } };
    if (finished) return { end: { ...complete('finished'), finished } };
    const isEmpty = drafts.length === 0 && extraction.items === 0;
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    const isLimited = options.visit === 'later' && !options.isFull;
    if (isLimited && stopsAt(at, drafts)) return { end: complete('known') };
    const page = { extraction, url, ...(nextLink !== undefined && { nextLink }) };
    const next = list.after(at, page, options.visit);
    if (isEmpty && (emptyPages >= mostEmptyPages || !leadsOn(at, next, extraction))) return { end: complete('empty') };
    if (next === undefined) return { end: complete('end') };
    const name = nameOf(next);
    if (places.has(name)) return { end: looped(next) };
    // Behind its last page a list may show that one again, or the first: from there on all is as it was, and all of it was seen.
    if (drafts.length > 0) {
      const keys = digest(drafts.map(({ type, key }) => [type, key]));
      if (shown.has(keys)) return { end: complete('repeated') };
      shown.add(keys);
    }
    if (isLimited && at.page >= list.maxPages) return { end: limited(at) };
    if (at.page >= mostPages) return { end: { ...limited(at), status: 'aborted' } };
    places.add(name);
    place = next;
    return {};
  }

  /** Whether a page that holds nothing says what comes next: a list that is counted could go on for ever without. */
  function leadsOn(at: ListPlace, next: ListPlace | undefined, { next: said }: Extraction): boolean {
    if (next === undefined) return false;
    return !list.isCounted || (said !== undefined && nameOf(next) !== nameOf(at));
  }

  /** Whether something on the page was there before; what may be pinned to the head of the first page does not count. */
  function stopsAt({ page }: ListPlace, drafts: readonly RecordDraft[]): boolean {
    const known = drafts.map((draft) => options.isKnown(draft));
    const firstNew = known.indexOf(false);
    const pinned = page === 1 && firstNew > 0 && firstNew <= list.pinned ? firstNew : 0;
    return known.slice(pinned).includes(true);
  }
}

function complete(reason: string): End {
  return { status: 'complete', reason, finished: false };
}

/** Only the first page of a list says that there is nothing by having nothing. */
function laterPage(reading: OpenList['reading']): OpenList['reading'] {
  return { ...reading, plan: { ...reading.plan, id: `${reading.plan.id}+`, mayBeEmpty: true } };
}

function limited({ page, url }: ListPlace): End {
  return { ...complete('page_limit'), gap: { pages: page, url } };
}

function looped({ url, page, cursor }: ListPlace): End {
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
