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

/** No list has more pages, unless it leads round in a circle that no cursor shows. */
const mostPages = 100_000;

type End = Omit<Close, 'copy'>;

/** A list over several pages, the newest items first: to its end at the first visit, later up to the page with something known. */
export function listWalk(options: ListWalkOptions): Walk {
  const { list, provider, errors } = options;
  let place: ListPlace | undefined = list.first(options.url, options.visit);
  /** What has led to a page, so that no page is asked for twice. */
  const places = new Set([nameOf(place)]);
  let keysBefore = '';

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
    if (drafts.length === 0 && extraction.items === 0) return { end: complete('empty') };
    const isLimited = options.visit === 'later' && !options.isFull;
    if (isLimited && stopsAt(at, drafts)) return { end: complete('known') };
    const page = { extraction, url, ...(nextLink !== undefined && { nextLink }) };
    const next = list.after(at, page, options.visit);
    if (next === undefined) return { end: complete('end') };
    if (places.has(nameOf(next))) return { end: looped(next) };
    // What counts pages may have the last one shown for all behind it.
    const keys = drafts.map(({ type, key }) => JSON.stringify([type, key])).join();
    if (drafts.length > 0 && keys === keysBefore) return { end: complete('repeated') };
    keysBefore = keys;
    if (isLimited && at.page >= list.maxPages) return { end: limited(at) };
    if (at.page >= mostPages) return { end: { ...limited(at), status: 'aborted' } };
    places.add(nameOf(next));
    place = next;
    return {};
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
  return JSON.stringify([url, cursor ?? null, body ?? null]);
}

function cursorText(cursor: Value): string {
  const text = typeof cursor === 'string' ? cursor : JSON.stringify(cursor);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
