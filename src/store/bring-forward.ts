import { scheduleNext } from './ending.ts';
import type { TargetRow } from './rows.ts';
import type { ScheduleRow } from './schedule-row.ts';
import { inSlices, writtenAtOnce } from './slices.ts';
import type { Change, Store } from './store.ts';

/** Plans anew what is due, or held back, later than it ever may be: the wall clock was set back after it was planned. */
export async function bringForward(store: Store): Promise<void> {
  for await (const rows of inSlices<ScheduleRow>(store.schedule.rowsAfter, writtenAtOnce))
    await store.write(
      (change) => {
        for (const { target } of rows) bringOneForward(store, change, target);
      },
      { evenWhenFull: true },
    );
}

function bringOneForward(store: Store, change: Change, number: number): void {
  const row = store.schedule.get(number);
  const found = store.targets.get(number);
  if (row === undefined || found === undefined) return;
  const target = heldFrom(found, change.at);
  if (target !== found) store.targets.put(target);
  if (row.manualAt !== undefined && row.manualAt > change.at) store.schedule.set({ ...row, manualAt: change.at });
  scheduleNext(store, change, target);
}

/** What holds a target back for a while holds it for that while from the present on, where it had begun later than that. */
function heldFrom(target: TargetRow, at: number): TargetRow {
  const { crashes, parked } = target;
  if (crashes.recent.every((each) => each <= at) && (parked?.at ?? 0) <= at) return target;
  const recent = crashes.recent.map((each) => Math.min(each, at));
  return {
    ...target,
    crashes: { ...crashes, recent },
    ...(parked && { parked: parked.at <= at ? parked : { ...parked, at, retryAt: at + parked.retryAt - parked.at } }),
  };
}

/** Whether the last commit was made at a later time than it is now, by more than clocks are set in passing. */
export function isSetBack(store: Store, now: number): boolean {
  const last = store.commits.get(store.commits.last());
  return last !== undefined && last.at > now + 2_000;
}
