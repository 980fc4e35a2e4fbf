import { setImmediate } from 'node:timers/promises';
import type { Store } from '../store/store.ts';
import type { ReextractionRow } from '../store/tables/reextractions.ts';
import { believedReadings } from './believed.ts';
import { type Comparison, compareSeries } from './compare.ts';
import { presentRules } from './present-rules.ts';

/** Records, and changes of their history, that one transaction compares: some milliseconds. */
const [batchRecords, batchChanges] = [50, 2_000];

/**
 * Compares what the pages of a job say with the history of their records, and stores what would change. Resolves with `false` where the job
 * was cancelled.
 */
export async function compareRecords(store: Store, job: number): Promise<boolean> {
  const hasRule = presentRules(store, store.reextractions.jobs.get(job)?.version ?? '');
  for (;;) {
    const state = await store.write(() => compareSome(store, job, hasRule));
    if (state === 'ready' || state === 'applying') return true;
    if (state !== 'comparing') return false;
    await setImmediate();
  }
}

/** Compares some records; returns the state of the job after it. */
function compareSome(
  store: Store,
  job: number,
  hasRule: ReturnType<typeof presentRules>,
): ReextractionRow['state'] | undefined {
  const { reextractions, history } = store;
  const row = reextractions.jobs.get(job);
  if (row?.state !== 'comparing') return row?.state;
  let after = row.comparedTo ?? 0;
  let sum = row;
  let changes = 0;
  for (let count = 0; count < batchRecords && changes < batchChanges; count += 1) {
    const record = reextractions.nextRead(job, after);
    if (record === undefined) {
      // The corrections of a repair were asked for with it.
      const state = row.ticket === undefined ? 'ready' : 'applying';
      reextractions.jobs.put(job, { ...sum, state });
      return state;
    }
    const readings = reextractions.readOf(job, record).map(({ key: [, , at], row: read }) => ({ at, ...read }));
    const told = [...history.ofRecord(record)];
    changes += told.length + readings.length;
    const type = told[0]?.type ?? '';
    const believed = believedReadings(store, record, readings);
    const found = compareSeries(told, believed, (version, field) => hasRule(version, type, field));
    for (const { at, ...correction } of found.corrections) reextractions.corrections.put([job, record, at], correction);
    if (Object.keys(found.present).length > 0) reextractions.present.put([job, record], found.present);
    for (const { at } of readings) reextractions.read.remove([job, record, at]);
    sum = withFound(sum, found);
    after = record;
  }
  reextractions.jobs.put(job, { ...sum, comparedTo: after });
  return 'comparing';
}

function withFound(row: ReextractionRow, { corrections, present }: Comparison): ReextractionRow {
  if (corrections.length === 0) return row;
  const fields: Record<string, number> = { ...row.fields };
  for (const { fields: changed } of corrections)
    for (const field of Object.keys(changed)) fields[field] = (fields[field] ?? 0) + 1;
  return {
    ...row,
    records: row.records + 1,
    changes: row.changes + corrections.length,
    present: row.present + Object.keys(present).length,
    fields,
  };
}
