import type { RecordDraft } from '../extract/draft.ts';
import { type KnownPage, knownPage } from '../store/copies.ts';
import { isSeen, nextPlaces, unvisited } from '../store/crawl.ts';
import type { Store } from '../store/store.ts';
import type { CrawlRow } from '../store/tables/crawls.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';
import { readAs } from './crawl-copy.ts';

/** The crawl that is under way, as the store has it. */
export interface CrawlState {
  /** The crawl's own row, as last written. */
  row(): CrawlRow;
  /** How many known places are not visited yet. */
  unvisited(): number;
  /** The next places to visit, without those whose numbers are in `except`. */
  next(except: ReadonlySet<number>, limit: number): readonly FrontierPlace[];
  /** Whether the crawl has met a page by its key, visited or not. */
  isSeen(key: string): boolean;
  /** Whether this crawl has not met the record before. */
  isNew(draft: RecordDraft): boolean;
  /** Whether this crawl has not met the record with this number before. */
  isNewRecord(record: number): boolean;
  /** A page that an earlier crawl has read, so that it can be asked for only if it has changed. */
  known(place: FrontierPlace): KnownPage | undefined;
  /** Whether the starts of an earlier crawl gave links. */
  hadLinks(): boolean;
  /** Whether the target has records of earlier scrapes. */
  hadRecords(): boolean;
}

/** Reads the state of a crawl from the store. */
export function crawlState(
  store: Store,
  source: string,
  { target, crawl, firstScrape, version, full }: CrawlRow,
): CrawlState {
  const row = (): CrawlRow => {
    const found = store.crawls.get(target, crawl);
    if (found === undefined) throw new Error(`target ${target}: crawl ${crawl} is gone`);
    return found;
  };
  return {
    row,
    unvisited: () => unvisited(row()),
    next: (except, limit) => nextPlaces(store, target, { except, limit }),
    isSeen: (key) => isSeen(store, target, key),
    isNew: ({ type, key }) => (store.records.seenBy(target, { source, type, key })?.last ?? 0) < firstScrape,
    isNewRecord: (record) => (store.records.seenByNumber(target, record)?.last ?? 0) < firstScrape,
    known: (place) => (full === true ? undefined : knownPage(store, target, place.url, { version, as: readAs(place) })),
    hadRecords: () => store.records.countOfTarget(target, 1) > 0,
    hadLinks: () => [...store.crawls.ofTarget(target, { before: crawl })].some(({ startLinks }) => startLinks > 0),
  };
}
