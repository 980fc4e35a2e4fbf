import { moveLinks } from '../store/entities.ts';
import { moveFiles } from '../store/files.ts';
import { startOfDay } from '../store/history-plan.ts';
import { sameValue } from '../store/same-value.ts';
import type { Change, Store } from '../store/store.ts';
import type { PresentRow, ReextractionRow } from '../store/tables/reextractions.ts';
import type { FieldCell } from '../view/record.ts';

/** Rows that one transaction applies: some milliseconds. */
const batch = 100;

/**
 * Applies a job: changes the present values that still are those of the pages, then adds its corrections to the history. Emits one event
 * in the transaction of the last present values, so that a reader of the event finds all of them; the corrections come after it, as they
 * carry its serial. An interrupted job goes on when this is called again. Rejects with `StoreFullError`.
 */
export async function applyJob(store: Store, job: number): Promise<void> {
  while (await store.write((change) => applySome(store, change, job)));
}

/** Applies some rows; returns whether more may be left. */
function applySome(store: Store, change: Change, job: number): boolean {
  const { reextractions, history } = store;
  const row = reextractions.jobs.get(job);
  if (row?.state !== 'applying') return false;
  const values = row.serial === undefined ? reextractions.presentOf(job, batch) : [];
  for (const { key, row: present } of values) {
    reextractions.present.remove(key);
    correct(store, change, key[1], present);
  }
  if (values.length === batch) return true;
  const serial = row.serial ?? tellApplied(store, change, row);
  const limit = batch - values.length;
  const corrections = reextractions.correctionsOf(job, limit);
  for (const { key, row: correction } of corrections) {
    const [, record, at] = key;
    reextractions.corrections.remove(key);
    const { version } = row;
    const name = store.records.nameOf(record);
    if (name === undefined) continue;
    const { source, type, key: recordKey } = name;
    const change = { source, type, key: recordKey, record, at, serial, kind: 'changed' as const };
    history.add({ ...change, version, ...correction });
    thinAgain(store, record, at);
  }
  const isOver = corrections.length < limit;
  reextractions.jobs.put(job, { ...row, serial, ...(isOver && { state: 'applied' as const, endedAt: change.at }) });
  return !isOver;
}

/** Has the day of an instant thinned again, if it is. */
function thinAgain({ history }: Store, record: number, at: number): void {
  const thinnedTo = history.thinnedTo(record);
  if (thinnedTo !== undefined && at < thinnedTo.at) history.setThinnedTo(record, { at: startOfDay(at), serial: 0 });
}

function tellApplied({ events }: Store, change: Change, row: ReextractionRow): number {
  const { job, source, version, records, changes, present } = row;
  change.tell({ type: 'reextraction.applied', source, data: { job, version, records, changes, present } });
  return events.last();
}

/** Corrects the present values of a record that nothing has changed since they were compared. */
function correct(store: Store, change: Change, number: number, present: PresentRow): void {
  const record = store.records.byNumber(number);
  if (record === undefined) return;
  const corrected = Object.entries(present).flatMap(([name, { from, to }]): [string, FieldCell][] => {
    const cell = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined;
    if (cell === undefined || cell.observedAt !== from.at || !sameValue(cell.value, from.value)) return [];
    // What the page said is older than what was seen last.
    if (to.at > from.at && cell.verifiedAt > to.at) return [];
    return [[name, { ...cell, value: to.value, observedAt: to.at, verifiedAt: Math.max(cell.verifiedAt, to.at) }]];
  });
  if (corrected.length === 0) return;
  const fields = { ...record.fields, ...Object.fromEntries(corrected) };
  store.records.update({ ...record, fields });
  moveFiles(store, change, record, fields);
  moveLinks(store, change, record, { before: record.fields, after: fields });
}
