import { isDeepStrictEqual } from 'node:util';
import type { Bucket } from '../schedule/tokens.ts';
import { scheduled } from './ending.ts';
import type { ScheduleRow } from './schedule-row.ts';
import type { Store } from './store.ts';

/** What a day has for one target. */
export interface PlannedTarget {
  /** The row that it was planned from. */
  readonly from: ScheduleRow;
  readonly bucket: Bucket;
  readonly turns: readonly number[];
  /** When the next day begins. */
  readonly planAt: number;
}

/** Writes a part of a day's plan: each target's turns with what they cost. One that changed meanwhile is left to be planned anew. */
export function writePlan(store: Store, planned: readonly PlannedTarget[]): Promise<void> {
  return store.write((change) => {
    for (const { from, bucket, turns, planAt } of planned) {
      const row = store.schedule.get(from.target);
      const target = store.targets.get(from.target);
      if (row?.pace.kind !== 'tokens' || target === undefined || !isSame(row, from)) continue;
      const next: ScheduleRow = { ...row, pace: { ...row.pace, bucket, planned: turns, planAt } };
      store.schedule.set(store.scheduling.next(target, next, scheduled(store, change, target)));
    }
  });
}

function isSame(row: ScheduleRow, from: ScheduleRow): boolean {
  return row.since === from.since && isDeepStrictEqual(row.pace, from.pace);
}
