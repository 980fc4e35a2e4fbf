import { isSeen } from '../store/crawl.ts';
import type { Store } from '../store/store.ts';
import type { RecordView } from '../view/record.ts';
import type { Cause, TicketView } from '../view/ticket.ts';

/** Missing records by which it is seen whether the crawl was led to their pages, and records of the target that are looked through for them. */
const [lookedMissing, lookedRecords] = [100, 5_000];

/** Records whose marks are read at once. */
const slice = 500;

/** The share of the missing records to whose pages no page led. */
const most = 0.8;

/**
 * Recognises that a crawl misses records because no page leads to theirs any more: the crawl has ended, and has met the addresses of hardly any of the
 * records that it was the first to miss.
 */
export function cutLinks(store: Store, { crawl: number, scrape, symptoms }: TicketView): Cause | undefined {
  const isOfRecords = symptoms.some(({ kind }) => kind === 'records' || kind === 'missing');
  const target = scrape === undefined ? undefined : store.scrapes.get(scrape)?.target;
  const crawl = target === undefined ? undefined : store.crawls.newest(target);
  if (!isOfRecords || target === undefined || crawl === undefined || crawl.crawl !== number) return undefined;
  if (crawl.endReason === undefined || crawl.waiting.detail + crawl.waiting.listing > 0) return undefined;
  const missing = firstMissed(store, target, crawl.firstScrape);
  const unmet = missing.filter(({ url }) => !isSeen(store, target, url));
  if (missing.length === 0 || unmet.length < most * missing.length) return undefined;
  const of = missing.length === 1 ? '1 record that is missing' : `${missing.length} records that are missing`;
  return { kind: 'items_cut', says: [`no page of the crawl leads to the pages of ${unmet.length} of ${of}`] };
}

/** Some of the records that the scrapes from `since` on were the first to miss. */
function firstMissed({ records }: Store, target: number, since: number): readonly RecordView[] {
  const found: RecordView[] = [];
  let after: number | undefined;
  for (let looked = 0; looked < lookedRecords && found.length < lookedMissing; looked += slice) {
    const { rows, last } = records.unseenSince(since, target, { limit: slice, after });
    found.push(...rows.filter(({ absent }) => absent === undefined || absent.times === 1));
    if (last === undefined) break;
    after = last;
  }
  return found.slice(0, lookedMissing);
}
