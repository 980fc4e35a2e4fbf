import type { Fence } from './ops.ts';
import type { RecordRow, TargetRow } from './rows.ts';
import type { Change, Store } from './store.ts';

/** Records that are looked at in one transaction, so that others get their turn between. */
const batch = 500;

/** Missing at first, since a page may be gone for a day; gone when one more whole crawl has not met it. */
const goneAfter = 2;

/**
 * Marks the records of a target that nobody has seen since the scrape `since` began, in as many transactions as it takes, each of which
 * writes only while the fence holds. Returns how many are missing, and how many gone, that were not before.
 */
export async function markMissing(
  store: Store,
  fence: Omit<Fence, 'step'>,
  since: number,
  holds: () => TargetRow | undefined,
): Promise<{ readonly missing: number; readonly gone: number }> {
  const begunAt = store.scrapes.get(since)?.startedAt ?? Infinity;
  // A pulse is no scrape, but it has seen what it has seen.
  const isSeen = ({ lastScrape, updatedAt }: RecordRow): boolean => lastScrape >= since || updatedAt >= begunAt;
  let after: RecordRow | undefined;
  let [missing, gone] = [0, 0];
  for (;;) {
    const rows = [...store.records.ofTarget(fence.target, { limit: batch, ...(after !== undefined && { after }) })];
    const unseen = rows.filter((row) => !isSeen(row) && (row.absent?.times ?? 0) < goneAfter);
    if (unseen.length > 0) {
      await store.write((change) => {
        const target = holds();
        if (target === undefined) return;
        for (const { source, type, key } of unseen) {
          const row = store.records.get(source, type, key);
          // A pulse, or another target, may have seen it meanwhile.
          if (row === undefined || isSeen(row)) continue;
          const kind = mark(store, change, target, fence.scrape, row);
          if (kind === 'missing') missing += 1;
          else gone += 1;
        }
      });
    }
    after = rows.at(-1);
    if (rows.length < batch) return { missing, gone };
  }
}

function mark(store: Store, change: Change, target: TargetRow, scrape: number, row: RecordRow): 'missing' | 'gone' {
  const { source, type, key } = row;
  const times = (row.absent?.times ?? 0) + 1;
  const kind = times < goneAfter ? 'missing' : 'gone';
  const seenBy = { target: target.target, scrape: row.lastScrape };
  store.records.put({ ...row, absent: { since: row.absent?.since ?? change.at, times } }, seenBy);
  store.history.add({ target: target.target, source, type, key, at: change.at, scrape, kind, fields: {} });
  const of = { project: target.project, source, target: target.target, scrape };
  change.tell({ type: `record.${kind}`, ...of, data: { type, key } });
  return kind;
}
