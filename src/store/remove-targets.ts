import type { HistoryView, RecordView } from '../view/record.ts';
import { moveLinks } from './entities.ts';
import { forgetRuns } from './judge-run.ts';
import { moveFiles } from './files.ts';
import { moveAges } from './record-ages.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import type { TargetRow } from './tables/rows.ts';

/** Rows per transaction: commits wait a few milliseconds at most. */
const batch = 250;

/**
 * Begins the removal of a target that nobody watches: disables it and removes its schedule and measures at once. `removeTargets` removes the
 * rest. To be called within a transaction.
 *
 * @param records - whether its records and its history go as well.
 */
export function abandonTarget(store: Store, target: TargetRow, records: boolean): void {
  const { target: number, source, url, createdAt, epoch } = target;
  store.removals.put(number, { records });
  store.schedule.remove(number);
  forgetRuns(store, target);
  store.targets.put({
    target: number,
    source,
    url,
    status: 'disabled',
    createdAt,
    epoch: epoch + 1,
    settled: 0,
    watchers: [],
    crashes: { recent: [], inRow: 0, total: 0 },
  });
}

/**
 * Removes the targets that `removals` lists, in small transactions; one that is watched again stays as it is by then. What is interrupted goes on when
 * this is called again. Works also when the store is full. Resolves with the number of removed rows; rejects when a commit fails.
 */
export async function removeTargets(store: Store): Promise<number> {
  let removed = 0;
  for (;;) {
    const [number] = store.removals.keys({ limit: 1 });
    if (number === undefined) return removed;
    removed += await store.write((change) => removeSome(store, change, number), { durable: true, evenWhenFull: true });
  }
}

/** Removes some rows of a target, and in the end the target. Returns their number. */
function removeSome(store: Store, change: Change, number: number): number {
  const removal = store.removals.get(number);
  const target = store.targets.get(number);
  if (removal === undefined || target === undefined || target.watchers.length > 0) {
    store.removals.remove(number);
    return 0;
  }
  let left = batch;
  for (const clear of [...ownRows, ...(removal.records ? [removeRecords, removeRemoved] : [])]) {
    if (left > 0) left -= clear(store, target, left, change);
  }
  const isGoing = !isPlace(store, target);
  if (left > 0 && isGoing) left -= store.scrapes.keepUrls(number, left);
  if (left > 0) end(store, target, isGoing);
  return batch - left + Number(left > 0);
}

/** Removes up to `limit` rows of a target. Returns their number; `limit` if there may be more. */
type Clear = (store: Store, target: TargetRow, limit: number, change: Change) => number;

/** The rows of a target that are of no use once the target is no longer scraped. */
const ownRows: readonly Clear[] = [
  ({ frontier }, { target }, limit) => frontier.removePlaces(target, Infinity, limit),
  ({ frontier }, { target }, limit) => frontier.removeMarks(target, Infinity, limit),
  ({ crawls }, { target }, limit) => crawls.clear(target, limit),
  ({ pages }, { target }, limit) => pages.clear(target, limit),
  ({ copies }, { target }, limit) => copies.clear(target, limit),
  ({ itemPages }, { target }, limit) => itemPages.clear(target, limit),
  ({ vault }, { target }, limit) => vault.clear(target, limit),
  ({ ages }, { target }, limit) => ages.clear(target, limit),
  ({ ages }, { target }, limit) => ages.clearMissed(target, limit),
  ({ holds }, { source, target }, limit) => holds.clear(source, target, limit),
];

/**
 * Removes records that the target has seen, and the history of what it saw. A record that another watched target has seen last is that
 * target's from then on.
 */
function removeRecords(store: Store, target: TargetRow, limit: number, change: Change): number {
  return removeEach(store, target, store.records.numbersOfTarget(target.target, { limit }), limit, (record) => {
    if (record?.target !== target.target) return;
    const heir = store.targets.get(store.scrapes.get(record.lastScrape)?.target ?? 0);
    if (heir !== undefined && heir.target !== target.target && heir.watchers.length > 0) {
      store.records.update({ ...record, target: heir.target });
      moveAges(store, { ...record, target: heir.target }, undefined, record);
    } else {
      store.records.remove(record);
      moveFiles(store, change, record, undefined);
      moveLinks(store, change, record, { before: record.fields, after: undefined });
      change.tell({ type: 'record.removed', ...subjectsOf(target), data: { type: record.type, key: record.key } });
    }
  });
}

/** Removes the history of the target's records that were removed before. */
const removeRemoved: Clear = (store, target, limit) =>
  removeEach(store, target, store.records.removedOfTarget(target.target, { limit }), limit, () => undefined);

/** Removes up to `limit` changes that the target saw, and with the last one of a record what `remove` removes of it. */
function removeEach(
  store: Store,
  { target }: TargetRow,
  numbers: readonly number[],
  limit: number,
  remove: (record: RecordView | undefined) => void,
): number {
  let left = limit;
  for (const number of numbers) {
    left -= removeHistory(store, number, target, left);
    if (left === 0) return limit;
    remove(store.records.byNumber(number));
    store.records.forget(target, number);
    if (Array.from(store.history.ofRecord(number, { limit: 1 })).length === 0) store.records.forgetName(number);
    left -= 1;
    if (left === 0) return limit;
  }
  return limit - left;
}

/** Removes up to `limit` changes of a record that a target saw. Their events stay as long as others. Returns the number of changes. */
function removeHistory({ history, events }: Store, record: number, target: number, limit: number): number {
  const leaving: HistoryView[] = [];
  for (const change of history.ofRecord(record)) {
    if (leaving.length === limit) break;
    if (change.target === target) leaving.push(change);
  }
  for (const change of leaving) events.keepWhole(change);
  history.remove(leaving);
  return leaving.length;
}

/** Ends the removal of a target, which goes itself where it is no place of records or history that stay. */
function end(store: Store, target: TargetRow, isGoing: boolean): void {
  store.removals.remove(target.target);
  if (isGoing) store.targets.remove(target);
}

/** Whether a target is the place of records or history. */
function isPlace({ records }: Store, { target }: TargetRow): boolean {
  return [records.numbersOfTarget, records.removedOfTarget].some((numbers) => numbers(target, { limit: 1 }).length > 0);
}
