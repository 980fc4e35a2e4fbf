import type { Fence } from './ops.ts';
import type { TargetRow } from './tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import { absenceOf, isGone } from '../view/record-state.ts';
import { restItemPage } from './item-pages.ts';
import { moveAges } from './record-ages.ts';
import type { RecordSlice } from './tables/records.ts';
import type { Change, Store } from './store.ts';
import { projectsOf } from '../schedule/watchers.ts';

/** Records per transaction: commits wait a few milliseconds at most. */
const batch = 250;

/**
 * Marks the records of a target that nobody has seen since the scrape `since` began. Uses several transactions, each of
 * which checks the fence. A mark names its crawl by `since`, so a crawl that is cut here and ends later marks no record
 * twice. Returns how many records the crawl found missing and gone. Rejects with `StoreFullError` when the store has no
 * room.
 *
 * @param missingSince - when a record was found to be missing; by default the instant of the transaction.
 */
export async function markMissing(
  store: Store,
  fence: Omit<Fence, 'step'>,
  since: number,
  holds: () => TargetRow | undefined,
  missingSince?: (record: RecordView) => number,
): Promise<{ readonly missing: number; readonly gone: number }> {
  const marked = { missing: 0, gone: 0 };
  let after: RecordSlice['after'];
  for (;;) {
    const range = { limit: batch, after };
    const found = await store.write((change) => {
      const target = holds();
      if (target === undefined) return undefined;
      const { rows, last } = store.records.unseenSince(since, fence.target, range);
      return { last, ...markSome(store, change, { target, fence, since, missingSince }, rows) };
    });
    if (found === undefined) return marked;
    marked.missing += found.missing;
    marked.gone += found.gone;
    if (found.last === undefined) return marked;
    after = found.last;
  }
}

interface Crawled {
  readonly target: TargetRow;
  readonly fence: Omit<Fence, 'step'>;
  /** The scrape that began the crawl. */
  readonly since: number;
  readonly missingSince?: ((record: RecordView) => number) | undefined;
}

function markSome(
  store: Store,
  change: Change,
  crawled: Crawled,
  rows: readonly RecordView[],
): { readonly missing: number; readonly gone: number } {
  const begunAt = store.scrapes.get(crawled.since)?.startedAt ?? Infinity;
  const version = store.scrapes.get(crawled.fence.scrape)?.version ?? '';
  const counts = { missing: 0, gone: 0 };
  for (const row of rows) {
    if (isSeen(row, crawled.since, { begunAt, now: change.at })) continue;
    const times = row.absent?.times ?? 0;
    const isMarked = row.absent?.scrape === crawled.since;
    if (!isMarked && isGone(row)) continue;
    if (!isMarked) mark(store, change, { ...crawled, version }, row);
    counts[absenceOf(isMarked ? times : times + 1)] += 1;
  }
  return counts;
}

/**
 * Whether a record was seen since the crawl began, by a scrape or a pulse. An instant in the future, from before the
 * clock was set back, does not count.
 */
export function isSeen(
  { lastScrape, updatedAt }: RecordView,
  since: number,
  { begunAt, now }: { readonly begunAt: number; readonly now: number },
): boolean {
  return lastScrape >= since || (updatedAt >= begunAt && updatedAt <= now);
}

function mark(store: Store, change: Change, crawled: Crawled & { readonly version: string }, record: RecordView): void {
  const { target: row, fence, since, version } = crawled;
  const at = crawled.missingSince?.(record) ?? change.at;
  const { source, type, key, absent } = record;
  const times = (absent?.times ?? 0) + 1;
  const kind = absenceOf(times);
  const { target } = row;
  const { scrape } = fence;
  const missing = { ...record, absent: { since: absent?.since ?? at, times, scrape: since } };
  store.records.update(missing);
  moveAges(store, missing, record, missing);
  restItemPage(store, target, missing);
  const seen = { record: record.record, source, type, key, target, at, scrape, version };
  change.tellChange({ ...seen, kind, fields: {} }, projectsOf(row));
}
