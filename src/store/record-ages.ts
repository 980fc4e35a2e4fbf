import type { FreshRow } from '../schedule/fresh-row.ts';
import type { RecordView } from '../view/record.ts';
import type { MissedRecord } from './tables/ages.ts';
import type { TargetRow } from './tables/rows.ts';
import type { Store } from './store.ts';

/** A record's content as far as its ages depend on it. */
type Aged = Pick<RecordView, 'updatedAt' | 'fields' | 'absent' | 'page' | 'firstSeenAt'>;

/**
 * Brings the ages of a record up to date after it was seen, found missing, or removed. Does nothing where its target has no objectives on
 * records. A missing record has no age: nobody can verify it. To be called within a transaction.
 *
 * @param before - the record as it was; `undefined` for a new one.
 * @param after - the record as it is; `undefined` for a removed one.
 */
export function moveAges(
  store: Store,
  { target, record }: RecordView,
  before: Aged | undefined,
  after: Aged | undefined,
): void {
  const records = store.schedule.get(target)?.fresh?.records;
  if (records === undefined) return;
  for (const field of records.fields)
    store.ages.move(target, field, record, { from: before && ageOf(before, field), to: after && ageOf(after, field) });
  const missed = store.ages.missedOf(target, record);
  if (missed !== undefined && isFound(missed, before, after)) store.ages.find(target, record);
}

/** Whether the page on which re-checks missed a record has been read since, so that it is no longer missed there. */
function isFound({ page }: MissedRecord, before: Aged | undefined, after: Aged | undefined): boolean {
  if (after === undefined || after.absent !== undefined) return true;
  return page === 'own' ? after.page?.readAt !== before?.page?.readAt : after.updatedAt !== before?.updatedAt;
}

/** When a record was last verified as a whole: when its list showed it, and its own page was read, whichever was earlier. */
function verifiedAtOf({ updatedAt, firstSeenAt, page }: Omit<Aged, 'fields'>): number {
  return page === undefined ? updatedAt : Math.min(updatedAt, page.readAt ?? firstSeenAt);
}

/** When a record, or a field of it, was last verified; `undefined` where it is missing, or was never found with that field. */
function ageOf(record: Aged, field: string): number | undefined {
  const { fields, absent } = record;
  if (absent !== undefined) return undefined;
  if (field === '') return verifiedAtOf(record);
  return Object.hasOwn(fields, field) ? fields[field]?.verifiedAt : undefined;
}

/** Records of which the ages are made, or removed, in one transaction: a few milliseconds. */
const madeAtOnce = 300;

/** Makes some of the ages of a target's records anew, since other fields have objectives. Returns whether all are made. To be called within a transaction. */
export function makeAges(store: Store, { target: number }: TargetRow): boolean {
  const row = store.schedule.get(number);
  const records = row?.fresh?.records;
  if (row?.fresh === undefined || records?.madeTo === undefined) return true;
  if (records.madeTo < 0) {
    if (store.ages.clear(number, madeAtOnce) === 0) put({ madeTo: 0 });
    return false;
  }
  let { madeTo } = records;
  let found = 0;
  for (const view of store.records.ofTarget(number, { after: madeTo, limit: madeAtOnce })) {
    found += 1;
    madeTo = view.record;
    if (view.target === number) moveAges(store, view, undefined, view);
  }
  const isMade = found < madeAtOnce;
  put(isMade ? { pages: store.pages.countOfTarget(number) + store.itemPages.countOfTarget(number) } : { madeTo });
  return isMade;

  function put(made: Partial<NonNullable<FreshRow['records']>>): void {
    if (row?.fresh === undefined || records === undefined) return;
    const { madeTo: _, ...rest } = records;
    store.schedule.set({ ...row, fresh: { ...row.fresh, records: { ...rest, ...made } } });
  }
}

/** Records that an event names. */
const named = 100;

/** The records of a target that are older than an objective allows: how many, and the oldest of them. */
export function overdueRecords(
  store: Store,
  target: number,
  { at, field = '' }: { readonly at: number; readonly field?: string },
  limitMs: number,
): { readonly count: number; readonly oldest: readonly { readonly type: string; readonly key: string }[] } {
  const overdue = [...store.ages.inOrder(target, field, { before: at - limitMs })];
  const oldest = overdue.slice(0, named).flatMap(({ record }) => {
    const view = store.records.byNumber(record);
    return view === undefined ? [] : [{ type: view.type, key: view.key }];
  });
  return { count: overdue.length, oldest };
}

/** Adds to the number of a target's pages whose records have objectives. To be called within a transaction. */
export function countPages({ schedule }: Store, target: number, more: number): void {
  const row = schedule.get(target);
  if (more === 0 || row?.fresh?.records === undefined) return;
  const { records } = row.fresh;
  schedule.set({ ...row, fresh: { ...row.fresh, records: { ...records, pages: Math.max(0, records.pages + more) } } });
}
