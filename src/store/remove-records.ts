import type { RecordView } from '../view/record.ts';
import { forgetHeld } from './holds.ts';
import { leaveItemPage } from './item-pages.ts';
import { moveLinks } from './entities.ts';
import { moveFiles } from './files.ts';
import { keepPage } from './pages.ts';
import { moveAges } from './record-ages.ts';
import { freshen } from './schedule.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';

/** Records per transaction: commits wait a few milliseconds at most. */
const batch = 250;

/**
 * Removes the records of these numbers that are still to be removed when their turn comes, and tells an event of each; their history stays. Uses
 * several transactions. Resolves with the removed records, which is on disk then. Rejects with `StoreFullError` when the store has no
 * room.
 */
export async function removeRecords(
  store: Store,
  numbers: readonly number[],
  isWanted: (record: RecordView) => boolean = () => true,
): Promise<RecordView[]> {
  const removed: RecordView[] = [];
  for (let from = 0; from < numbers.length; from += batch) {
    const some = await store.write(
      (change) => {
        const found = numbers.slice(from, from + batch).flatMap((number) => store.records.byNumber(number) ?? []);
        const wanted = found.filter(isWanted);
        for (const record of wanted) remove(store, change, record);
        for (const number of new Set(wanted.map(({ target }) => target))) {
          const target = store.targets.get(number);
          if (target !== undefined) freshen(store, change, target);
        }
        return wanted;
      },
      { durable: true, evenWhenFull: true },
    );
    removed.push(...some);
  }
  return removed;
}

function remove(store: Store, change: Change, record: RecordView): void {
  const { type, key, url } = record;
  store.records.remove(record);
  forgetHeld(store, record);
  moveAges(store, record, record, undefined);
  moveFiles(store, change, record, undefined);
  moveLinks(store, change, record, { before: record.fields, after: undefined });
  // Asked whether it has changed, the site would say no, and what still stands there would not be seen again.
  const page = store.pages.get(record.target, url);
  if (page !== undefined) {
    const { version, observedAt, records } = page;
    const others = records.filter((each) => each !== record.record);
    keepPage(store, record.target, { url: page.url, version, observedAt, records: others });
  }
  if (record.page !== undefined) leaveItemPage(store, record.target, { type, url: record.page.url }, record.record);
  const target = store.targets.get(record.target);
  if (target === undefined) return;
  const { copy, ...rest } = target;
  if (copy !== undefined) store.targets.put(rest);
  change.tell({ type: 'record.removed', ...subjectsOf(target), data: { type, key } });
}
