import type { Environment } from '../environment.ts';
import type { GridPlace, ScheduleRow } from '../schedule-row.ts';
import { table } from './table.ts';

/** When each active target is next due, by target and by instant, and which places of the grids are taken. */
export interface ScheduleTable {
  get(target: number): ScheduleRow | undefined;
  /** Stores the row in place of the target's old one, whose slot is free then unless the new one has it too. */
  set(row: ScheduleRow): void;
  /** Whether there was such a row; its slot is free then. */
  remove(target: number): boolean;
  /** Rows in the order in which they are to be looked at: a person's request counts from when it was made. */
  byDue(range?: DueRange): Iterable<ScheduleRow>;
  /** Those whose day is to be planned, the longest since first. */
  byPlan(range?: DueRange): Iterable<ScheduleRow>;
  /** Those whose ages change what is to be told of them. */
  byCrossing(range?: DueRange): Iterable<ScheduleRow>;
  /** In the order of the targets' numbers: the slice after one, from the first on without it. */
  readonly rowsAfter: (last: ScheduleRow | undefined, limit: number) => Iterable<ScheduleRow>;
  /** The lowest number that no target with this politeness key and interval has. */
  readonly freeSlot: (key: string, everyMs: number) => number;
  /** Where the grid of this politeness key and interval begins; missing until it has had a target. */
  readonly originOf: (key: string, everyMs: number) => number | undefined;
  /** How many targets of a politeness key share an objective. */
  readonly sharing: (key: string, objectiveMs: number) => number;
  /** What is promised of whom, by politeness key. */
  shares(): Iterable<Share>;
  count(): number;
}

export interface DueRange {
  /** The last one of the slice before: its instant and its target. */
  readonly after?: [number, number];
  readonly before?: number;
  readonly limit?: number;
}

/** So many targets of a source and a politeness key must not become older. */
export interface Share {
  readonly key: string;
  readonly source: string;
  readonly objectiveMs: number;
  readonly targets: number;
}

/** All targets of one politeness key and interval; stays when the last of them is gone. */
interface GridRow {
  readonly originAt: number;
  /** The number above all slots that were ever taken. */
  readonly top: number;
}

export function scheduleTable(environment: Environment): ScheduleTable {
  const rows = table<number, ScheduleRow>(environment, 'schedule');
  const indexes = [
    { of: table<[number, number], 1>(environment, 'schedule.by_due'), atOf: wakeAt },
    { of: table<[number, number], 1>(environment, 'schedule.by_plan'), atOf: planAt },
    { of: table<[number, number], 1>(environment, 'schedule.by_crossing'), atOf: crossAt },
  ] as const;
  const [byDue, byPlan, byCrossing] = indexes;
  const grids = table<[string, number], GridRow>(environment, 'schedule.grids');
  /** The free slots of a grid below its top. */
  const gaps = table<[string, number, number], 1>(environment, 'schedule.gaps');
  const shares = table<[string, number, string], number>(environment, 'schedule.shares');

  return {
    get: rows.get,
    set(row) {
      const old = rows.get(row.target);
      for (const { of, atOf } of indexes) {
        const [before, after] = [old && atOf(old), atOf(row)];
        if (before === after) continue;
        if (before !== undefined) of.remove([before, row.target]);
        if (after !== undefined) of.put([after, row.target], 1);
      }
      const [place, next] = [placeOf(old), placeOf(row)];
      if (place === undefined || next === undefined || !isSamePlace(place, next)) {
        if (place !== undefined) giveBack(place);
        if (next !== undefined) take(next);
      }
      if (old?.fresh?.key !== row.fresh?.key || old?.fresh?.objectiveMs !== row.fresh?.objectiveMs) {
        share(old, -1);
        share(row, 1);
      }
      rows.put(row.target, row);
    },
    remove(target) {
      const old = rows.get(target);
      if (old === undefined) return false;
      for (const { of, atOf } of indexes) {
        const at = atOf(old);
        if (at !== undefined) of.remove([at, target]);
      }
      const place = placeOf(old);
      if (place !== undefined) giveBack(place);
      share(old, -1);
      return rows.remove(target);
    },
    byDue: (range) => inOrder(byDue, range),
    byPlan: (range) => inOrder(byPlan, range),
    byCrossing: (range) => inOrder(byCrossing, range),
    rowsAfter: (last, limit) => rows.rows({ ...(last && { after: last.target }), limit }),
    freeSlot(key, everyMs) {
      for (const [, , slot] of gaps.keys({ from: [key, everyMs, 0], before: [key, everyMs, Infinity], limit: 1 })) {
        return slot;
      }
      return grids.get([key, everyMs])?.top ?? 0;
    },
    originOf: (key, everyMs) => grids.get([key, everyMs])?.originAt,
    sharing(key, objectiveMs) {
      let sum = 0;
      for (const targets of shares.rows({ from: [key, objectiveMs, ''], before: [key, objectiveMs, '\uffff'] }))
        sum += targets;
      return sum;
    },
    *shares() {
      for (const { key, row } of shares.entries())
        yield { key: key[0], objectiveMs: key[1], source: key[2], targets: row };
    },
    count: rows.count,
  };

  function* inOrder(
    { of }: (typeof indexes)[number],
    { after, before = Infinity, limit }: DueRange = {},
  ): Generator<ScheduleRow> {
    const range = { ...(after && { after }), before: [before, 0] satisfies [number, number] };
    for (const [, target] of of.keys({ ...range, ...(limit !== undefined && { limit }) })) {
      const row = rows.get(target);
      if (row !== undefined) yield row;
    }
  }

  function take({ key, everyMs, slot, originAt }: GridPlace): void {
    const grid = grids.get([key, everyMs]) ?? { originAt, top: 0 };
    if (slot < grid.top) {
      gaps.remove([key, everyMs, slot]);
      return;
    }
    for (let skipped = grid.top; skipped < slot; skipped += 1) gaps.put([key, everyMs, skipped], 1);
    grids.put([key, everyMs], { ...grid, top: slot + 1 });
  }

  function giveBack({ key, everyMs, slot }: GridPlace): void {
    gaps.put([key, everyMs, slot], 1);
  }

  function share(row: ScheduleRow | undefined, by: 1 | -1): void {
    if (row?.fresh === undefined) return;
    const { key, objectiveMs, source } = row.fresh;
    const targets = (shares.get([key, objectiveMs, source]) ?? 0) + by;
    if (targets > 0) shares.put([key, objectiveMs, source], targets);
    else shares.remove([key, objectiveMs, source]);
  }
}

function wakeAt({ dueAt, manualAt }: ScheduleRow): number | undefined {
  if (dueAt === undefined) return manualAt;
  return manualAt === undefined ? dueAt : Math.min(dueAt, manualAt);
}

function planAt({ pace }: ScheduleRow): number | undefined {
  return pace.kind === 'tokens' ? pace.planAt : undefined;
}

function crossAt({ fresh }: ScheduleRow): number | undefined {
  return fresh?.crossAt;
}

function placeOf(row: ScheduleRow | undefined): GridPlace | undefined {
  return row?.pace.kind === 'interval' ? row.pace.grid : undefined;
}

function isSamePlace(one: GridPlace, other: GridPlace): boolean {
  return one.key === other.key && one.everyMs === other.everyMs && one.slot === other.slot;
}
