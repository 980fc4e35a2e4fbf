import type { RecordDraft } from '../extract/draft.ts';
import type { CrawlRow } from '../store/tables/crawls.ts';
import type { Place } from '../store/tables/frontier.ts';

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
  /** Whether the starts of an earlier crawl gave links. */
  hadLinks(): boolean;
}
