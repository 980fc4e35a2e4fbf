import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../environment.ts';
import type { FreshRow, GridPlace, ScheduleRow } from '../schedule-row.ts';
import { type Range, table } from './table.ts';

/** When each active target is next due, by target and by instant, which places of the grids are taken, and what is remembered of targets that rest. */
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
  /** What is promised on a politeness key up to an age, the shortest first. */
  readonly promisesOn: (key: string, longestMs: number) => readonly Share[];
  /** What is promised of whom, by politeness key: the slice after one, from the first on without it. */
  readonly sharesAfter: (last: Share | undefined, limit: number) => Iterable<Share>;
  /** The same of one politeness key. */
  sharesOf(key: string): readonly Share[];
  readonly isPromised: (key: string) => boolean;
  /** Politeness keys that are to be looked at, as something else is promised on them, or as `markShares` says. */
  markedShares(limit: number): readonly string[];
  readonly markShares: (key: string) => void;
  unmarkShares(key: string): void;
  count(): number;
}

export interface DueRange {
  /** The last one of the slice before: its instant and its target. */
  readonly after?: [number, number];
  readonly before?: number;
  readonly limit?: number;
}

/** So many targets of a source and a politeness key, which may be asked in the same part of the time, must not become older. */
export interface Share extends Pick<FreshRow, 'key' | 'source' | 'objectiveMs' | 'hours'> {
  readonly targets: number;
}

/** A share by its key; `hours` are `closedMs` and `openPart`, or nothing where targets may be asked at any time. */
type ShareKey = [key: string, objectiveMs: number, source: string, ...hours: number[]];

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
  const shares = table<ShareKey, number>(environment, 'schedule.shares');
  const marked = table<string, 1>(environment, 'schedule.marked_shares');

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
      const [promised, promises] = [promisedOf(old), promisedOf(row)];
      if (!isDeepStrictEqual(promised && shareKey(promised), promises && shareKey(promises))) {
        share(promised, -1);
        share(promises, 1);
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
      share(promisedOf(old), -1);
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
    promisesOn: (key, longestMs) => [...sharesIn({ from: [key, 0, ''], before: [key, longestMs, '\uffff'] })],
    sharesAfter: (last, limit) => sharesIn({ ...(last && { after: shareKey(last) }), limit }),
    sharesOf: (key) => [...sharesIn(ofKey(key))],
    isPromised: (key) => [...shares.keys({ ...ofKey(key), limit: 1 })].length > 0,
    markedShares: (limit) => [...marked.keys({ limit })],
    markShares: (key) => marked.put(key, 1),
    unmarkShares: (key) => void marked.remove(key),
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

  function ofKey(key: string): Range<ShareKey> {
    return { from: [key, 0, ''], before: [key, Infinity, ''] };
  }

  function* sharesIn(range: Range<ShareKey>): Generator<Share> {
    for (const { key: of, row } of shares.entries(range)) {
      const [key, objectiveMs, source, closedMs, openPart] = of;
      const hours = closedMs !== undefined && openPart !== undefined && { hours: { closedMs, openPart } };
      yield { key, objectiveMs, source, ...hours, targets: row };
    }
  }

  function share(promised: FreshRow | undefined, by: 1 | -1): void {
    if (promised === undefined) return;
    marked.put(promised.key, 1);
    const key = shareKey(promised);
    const targets = (shares.get(key) ?? 0) + by;
    if (targets > 0) shares.put(key, targets);
    else shares.remove(key);
  }
}

function shareKey({ key, objectiveMs, source, hours }: Omit<Share, 'targets'>): ShareKey {
  return hours === undefined ? [key, objectiveMs, source] : [key, objectiveMs, source, hours.closedMs, hours.openPart];
}

function wakeAt({ dueAt, manualAt }: ScheduleRow): number | undefined {
  if (dueAt === undefined) return manualAt;
  return manualAt === undefined ? dueAt : Math.min(dueAt, manualAt);
}

function planAt({ pace, rest }: ScheduleRow): number | undefined {
  return pace.kind === 'tokens' && rest === undefined ? pace.planAt : undefined;
}

function crossAt(row: ScheduleRow): number | undefined {
  return promisedOf(row)?.crossAt;
}

function placeOf(row: ScheduleRow | undefined): GridPlace | undefined {
  return row?.pace.kind === 'interval' && row.rest === undefined ? row.pace.grid : undefined;
}

/** What is promised of a target and counts now. */
function promisedOf(row: ScheduleRow | undefined): FreshRow | undefined {
  return row?.rest === 'set-aside' ? undefined : row?.fresh;
}

function isSamePlace(one: GridPlace, other: GridPlace): boolean {
  return one.key === other.key && one.everyMs === other.everyMs && one.slot === other.slot;
}
