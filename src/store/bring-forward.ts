import { scheduleNext } from './ending.ts';
import type { ScheduleRow } from './schedule-row.ts';
import { inSlices } from './slices.ts';
import type { Change, Store } from './store.ts';

/** Plans anew what is due later than it ever may be: the wall clock was set back after it was planned. */
export async function bringForward(store: Store): Promise<void> {
  for await (const rows of inSlices<ScheduleRow>(store.schedule.rowsAfter))
    await store.write((change) => {
      for (const { target } of rows) bringOneForward(store, change, target);
    });
}

function bringOneForward(store: Store, change: Change, number: number): void {
  const row = store.schedule.get(number);
  const target = store.targets.get(number);
  if (row === undefined || target === undefined) return;
  if (row.manualAt !== undefined && row.manualAt > change.at) store.schedule.set({ ...row, manualAt: change.at });
  scheduleNext(store, change, target);
}

/** Whether the last commit was made at a later time than it is now, by more than clocks are set in passing. */
export function isSetBack(store: Store, now: number): boolean {
  const last = store.commits.get(store.commits.last());
  return last !== undefined && last.at > now + 2_000;
}
