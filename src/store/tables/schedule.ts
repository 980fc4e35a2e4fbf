import type { Environment } from '../environment.ts';
import type { ScheduleRow } from '../rows.ts';
import { table } from './table.ts';

/** When each active target is next due, by target and by instant, and which places of the grids are taken. */
export interface ScheduleTable {
  get(target: number): ScheduleRow | undefined;
  /** Stores the row in place of the target's old one, whose slot is free then unless the new one has it too. */
  set(row: ScheduleRow): void;
  /** Whether there was such a row; its slot is free then. */
  remove(target: number): boolean;
  /** Rows in the order in which they are to be looked at: a person's request counts from when it was made. */
  byDue(range?: { readonly before?: number; readonly limit?: number }): Iterable<ScheduleRow>;
  /** In the order of the targets' numbers: the slice after one, from the first on without it. */
  readonly rowsAfter: (last: ScheduleRow | undefined, limit: number) => Iterable<ScheduleRow>;
  /** The lowest number that no target with this politeness key and interval has. */
  readonly freeSlot: (key: string, everyMs: number) => number;
  /** Where the grid of this politeness key and interval begins; missing until it has had a target. */
  readonly originOf: (key: string, everyMs: number) => number | undefined;
  count(): number;
}

/** All targets of one politeness key and interval; stays when the last of them is gone. */
interface GridRow {
  readonly originAt: number;
  /** The number above all slots that were ever taken. */
  readonly top: number;
}

export function scheduleTable(environment: Environment): ScheduleTable {
  const rows = table<number, ScheduleRow>(environment, 'schedule');
  const byDue = table<[number, number], 1>(environment, 'schedule.by_due');
  const grids = table<[string, number], GridRow>(environment, 'schedule.grids');
  /** The free slots of a grid below its top. */
  const gaps = table<[string, number, number], 1>(environment, 'schedule.gaps');

  return {
    get: rows.get,
    set(row) {
      const old = rows.get(row.target);
      if (old !== undefined) byDue.remove([wakeAt(old), old.target]);
      if (old === undefined || !isSamePlace(old, row)) {
        if (old !== undefined) giveBack(old);
        take(row);
      }
      byDue.put([wakeAt(row), row.target], 1);
      rows.put(row.target, row);
    },
    remove(target) {
      const old = rows.get(target);
      if (old === undefined) return false;
      byDue.remove([wakeAt(old), target]);
      giveBack(old);
      return rows.remove(target);
    },
    *byDue({ before = Infinity, limit } = {}) {
      for (const [, target] of byDue.keys({ before: [before, 0], ...(limit !== undefined && { limit }) })) {
        const row = rows.get(target);
        if (row !== undefined) yield row;
      }
    },
    rowsAfter: (last, limit) => rows.rows({ ...(last && { after: last.target }), limit }),
    freeSlot(key, everyMs) {
      for (const [, , slot] of gaps.keys({ from: [key, everyMs, 0], before: [key, everyMs, Infinity], limit: 1 })) {
        return slot;
      }
      return grids.get([key, everyMs])?.top ?? 0;
    },
    originOf: (key, everyMs) => grids.get([key, everyMs])?.originAt,
    count: rows.count,
  };

  function take({ grid: { key, everyMs, slot, originAt } }: ScheduleRow): void {
    const grid = grids.get([key, everyMs]) ?? { originAt, top: 0 };
    if (slot < grid.top) {
      gaps.remove([key, everyMs, slot]);
      return;
    }
    for (let skipped = grid.top; skipped < slot; skipped += 1) gaps.put([key, everyMs, skipped], 1);
    grids.put([key, everyMs], { ...grid, top: slot + 1 });
  }

  function giveBack({ grid: { key, everyMs, slot } }: ScheduleRow): void {
    gaps.put([key, everyMs, slot], 1);
  }
}

function wakeAt({ dueAt, manualAt }: ScheduleRow): number {
  return manualAt === undefined ? dueAt : Math.min(dueAt, manualAt);
}

function isSamePlace(one: ScheduleRow, other: ScheduleRow): boolean {
  return (
    one.grid.key === other.grid.key && one.grid.everyMs === other.grid.everyMs && one.grid.slot === other.grid.slot
  );
}
