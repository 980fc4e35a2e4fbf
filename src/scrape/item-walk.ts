import type { Extraction, RecordDraft } from '../extract/draft.ts';
import { defined } from '../defined.ts';
import { againstSource } from '../fetch/triage.ts';
import type { ItemPageCounts } from '../health/last-reading.ts';
import type { ItemPages } from '../provider/provider.ts';
import { isLack } from '../request/failure.ts';
import type { ItemPageName, ItemPageRow } from '../store/tables/item-pages.ts';
import type { Unparsed } from '../view/scrape.ts';
import type { PageResult, ScrapeEnd, Visit, Visited, Walk } from './walk.ts';

/** A record by its name on its source. */
export type RecordName = Pick<RecordDraft, 'type' | 'key'>;

/** The inputs of a walk whose list has items that lead to pages. */
export interface ItemWalkOptions {
  readonly items: ItemPages;
  /** The target's address. */
  readonly home: string;
  /** The version of the definition. */
  readonly version: string;
  /** Names the walk over the list, as `walkOf` does. */
  readonly walk: string;
  /** Pages of items that are asked for at once. */
  readonly width: number;
  /** The pages that are to be asked for now, in order, as the store has them. */
  due(): Iterable<ItemPageRow>;
  /** The records that lead to a page. */
  recordsOf(page: ItemPageName): readonly RecordName[];
  /** Wall time. */
  now(): number;
}

/** Failures in a row that speak against the source, after which no more pages of items are asked for. */
const mostFailuresInRow = 5;

/** The pause before a page that failed is asked for again, doubled for each failure more, and the longest one; in milliseconds. */
const [firstPauseMs, longestPauseMs] = [5 * 60_000, 86_400_000];

/** The number of requests for a page that is not there, or that robots.txt forbids, until its item changes. */
const mostAbsences = 3;
const absences: ReadonlySet<string> = new Set(['not_found', 'gone', 'robots_disallowed']);

/** Pages that are fetched from the store in advance. */
const fetchedAtOnce = 100;

/** Records of one page whose faults are told. */
const mostTold = 20;

/**
 * Reads a list by its own walk, and then the pages that its items lead to, up to a number of them. The fields of such a page belong to the
 * records whose items lead there. What came of a page is stored with it, so that the next scrape asks for what is left. A page that
 * cannot be had ends nothing: the scrape ends as its list did. `advance` throws for a page that nobody asked for.
 */
export function itemWalk(list: Walk, options: ItemWalkOptions): Walk {
  const { items } = options;
  /** Pages of the list that are under way. */
  const listed = new Set<Visit>();
  const pages = new Map<Visit, ItemPageRow>();
  /** The next pages, fetched from the store in advance. */
  let ready: ItemPageRow[] = [];
  const asked = new Set<string>();
  let listEnd: ScrapeEnd | undefined;
  let isOver = false;
  let failuresInRow = 0;
  /** The pages that were asked for and that were read, by type. */
  const results = new Map<string, ItemPageCounts[string]>(items.types.map((type) => [type, { asked: 0, read: 0 }]));

  return {
    width: Math.max(list.width, options.width),
    next() {
      if (listEnd === undefined) {
        if (listed.size >= list.width) return undefined;
        const visit = list.next();
        if (visit !== undefined) listed.add(visit);
        // The pages that are under way may be followed by more.
        if (visit !== undefined || listed.size > 0) return visit;
        listEnd = list.ending();
      }
      // What its last page has shown is written first.
      if (listed.size > 0 || isOver || listEnd.status === 'failed' || asked.size >= items.maxPages) return undefined;
      return nextItem();
    },
    ...(list.prepare && {
      prepare: (visit, visited) => (pages.has(visit) ? undefined : list.prepare?.(visit, visited)),
    }),
    advance(visit, visited) {
      const page = pages.get(visit);
      if (page !== undefined) return itemResult(page, visited);
      const { end, ...result } = list.advance(visit, visited);
      if (end === undefined) return result;
      if (end.status === 'failed') return { ...result, end: ofItems(end) };
      listEnd = end;
      // What lies behind a limit was not seen.
      const read = end.status === 'complete' ? { listRead: options.walk } : {};
      return { ...result, ops: { ...result.ops, ...read } };
    },
    written(visit) {
      if (pages.delete(visit)) return;
      listed.delete(visit);
      list.written?.(visit);
    },
    ending: () => ofItems(listEnd ?? list.ending()),
    ...(list.limited && { limited: list.limited }),
  };

  function nextItem(): Visit | undefined {
    if (ready.length === 0) ready = someDue();
    const page = ready.shift();
    const reading = page && items.reading(page.type);
    if (page === undefined || reading === undefined) return undefined;
    asked.add(nameOf(page));
    const request: Visit['request'] = (address, copy, hop) => items.request(address, copy, hop, options.home);
    const visit: Visit = { url: page.url, reading, request, isOfItem: true };
    pages.set(visit, page);
    return visit;
  }

  /** The next pages that this scrape has not asked for, of types that still have such pages. */
  function someDue(): ItemPageRow[] {
    const found: ItemPageRow[] = [];
    for (const page of options.due()) {
      if (asked.has(nameOf(page)) || items.reading(page.type) === undefined) continue;
      found.push(page);
      if (found.length === fetchedAtOnce) break;
    }
    return found;
  }

  function itemResult(page: ItemPageRow, { result: { outcome, trouble } }: Visited): PageResult {
    // No page of the source can be had.
    if (isLack(outcome)) {
      isOver = true;
      return {};
    }
    const { url, type } = page;
    const { version } = options;
    const records = options.recordsOf(page);
    const { asked = 0, read = 0 } = results.get(type) ?? {};
    results.set(type, { asked: asked + 1, read: read + Number(outcome.kind === 'read') });
    if (outcome.kind === 'read') {
      failuresInRow = 0;
      const { validators, extraction } = outcome;
      return {
        drafts: ownDrafts(records, extraction),
        unparsed: ofRecords(records, extraction.unparsed),
        ops: { item: { url, type, version, result: { kind: 'read', ...defined({ validators }) } } },
      };
    }
    const code = outcome.kind === 'failed' ? outcome.failure.code : 'unexpected';
    const cause = trouble?.cause;
    failuresInRow = cause !== undefined && againstSource.has(cause) ? failuresInRow + 1 : 0;
    if (failuresInRow >= mostFailuresInRow) {
      isOver = true;
      results.set(type, { asked: asked + 1, read, isStopped: true });
    }
    const times = (page.failures ?? 0) + 1;
    const retryAt = retryAfter(times, [code, cause ?? code]);
    const failed = { kind: 'failed', ...defined({ retryAt }) } as const;
    const met = cause === undefined || cause === 'unexpected' ? code : cause;
    const fault = { record: type, field: 'page', text: url, expected: `a page that can be read, met ${met}` };
    return { unparsed: ofRecords(records, [fault]), errors: 1, ops: { item: { url, type, version, result: failed } } };
  }

  /** The end of a scrape, with the counts of its item pages, of which some may be left. */
  function ofItems(end: ScrapeEnd): ScrapeEnd {
    return { ...end, itemPages: Object.fromEntries(results) };
  }

  /** When a page is asked for again that failed so many times in a row; never before its item changes where it is not there. */
  function retryAfter(times: number, reasons: readonly string[]): number | undefined {
    if (times >= mostAbsences && reasons.some((reason) => absences.has(reason))) return undefined;
    return options.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (times - 1));
  }
}

/** The drafts of the records that lead to a page; each has what the page says. */
export function ownDrafts(
  records: readonly RecordName[],
  { drafts: [found] }: Pick<Extraction, 'drafts'>,
): RecordDraft[] {
  return found === undefined ? [] : records.map(({ key }) => ({ ...found, key }));
}

/** The faults of a page, once for each record that leads to it. */
function ofRecords(records: readonly RecordName[], unparsed: readonly Unparsed[]): Unparsed[] {
  const told = unparsed.map(({ record, field, text, expected }) => ({ record, field, text, expected }));
  return records.slice(0, mostTold).flatMap(({ key }) => told.map((each) => ({ ...each, key })));
}

function nameOf({ type, url }: ItemPageName): string {
  return `${type} ${url}`;
}
