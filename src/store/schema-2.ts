import type { Migration } from './migration.ts';
import type { TargetRow } from './rows.ts';
import type { GridPlace } from './schedule-row.ts';
import { table } from './tables/table.ts';

/** A row of schema 1, where every target had an interval. */
interface OldSchedule {
  readonly target: number;
  readonly dueAt: number;
  readonly manualAt?: number;
  readonly grid: GridPlace;
  readonly first: boolean;
}

/** What sets the pace of a target is a part of its own in its row, and what it says of it itself is more than an interval. */
export const toSchema2: Migration = (environment, { schedule, targets }) => {
  for (const old of [...table<number, OldSchedule>(environment, 'schedule').rows()]) {
    const { target, dueAt, manualAt, grid, first } = old;
    table<number, OldSchedule>(environment, 'schedule').remove(target);
    table<[number, number], 1>(environment, 'schedule.by_due').remove([Math.min(dueAt, manualAt ?? dueAt), target]);
    schedule.set({
      target,
      dueAt,
      since: first ? dueAt : dueAt - grid.everyMs,
      ...(first && { firstAt: dueAt }),
      ...(manualAt !== undefined && { manualAt }),
      pace: { kind: 'interval', grid },
    });
  }
  for (const row of [...targets.rows()] as (TargetRow & { readonly everyMs?: number })[]) {
    const { everyMs, ...rest } = row;
    if (everyMs !== undefined) targets.put({ ...rest, schedule: { every: everyMs } });
  }
};
