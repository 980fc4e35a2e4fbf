import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { FreshRow } from '../../schedule/fresh-row.ts';
import type { GridPlace } from '../../schedule/time/grid.ts';
import type { ScheduleRow } from '../../schedule/row.ts';
import { type Range, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

/** A part of the rows in the order of one of their instants. */
export interface InstantRange {
  /** The instant and the target of the last row of the slice before. */
  readonly after?: [number, number] | undefined;
  readonly before?: number;
  readonly limit?: number;
}

/** How many targets of one source and politeness key, with the same opening hours, share one objective; pages in place of targets where records have it. */
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

/** The schedule rows of all targets. */
export type ScheduleTable = ReturnType<typeof scheduleTable>;

/**
 * The schedule rows of targets by target and by instant, with the places that they have in the grids of their politeness keys, and the
 * objectives on each key.
 */
export function scheduleTable(environment: Environment) {
  const rows = namingSources(environment, heldTable<number, ScheduleRow>(environment, 'schedule'), {
    row(row, rename) {
      const fresh = row.fresh && ownSource(row.fresh, rename);
      return fresh === undefined || fresh === row.fresh ? row : { ...row, fresh };
    },
  });
  const indexes = [
    { of: table<[number, number], 1>(environment, 'schedule.by_due'), atOf: wakeAt },
    { of: table<[number, number], 1>(environment, 'schedule.by_plan'), atOf: planAt },
    { of: table<[number, number], 1>(environment, 'schedule.by_crossing'), atOf: crossAt },
  ] as const;
  const [byDue, byPlan, byCrossing] = indexes;
  const grids = table<[string, number], GridRow>(environment, 'schedule.grids');
  /** The free slots of a grid below its top. */
  const gaps = table<[string, number, number], 1>(environment, 'schedule.gaps');
  const shares = namingSources(environment, table<ShareKey, number>(environment, 'schedule.shares'), { key: 2 });
  const marked = table<string, 1>(environment, 'schedule.marked_shares');

  return {
    get: rows.get,
    /** Stores the row in place of the target's old one, whose slot is freed unless the new one has it too. */
    set(row: ScheduleRow): void {
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
      const [before, after] = [countedFresh(old), countedFresh(row)];
      if (
        !isDeepStrictEqual(before && [shareKey(before), weightOf(before)], after && [shareKey(after), weightOf(after)])
      ) {
        share(before, -1);
        share(after, 1);
      }
      rows.put(row.target, row);
    },
    /** Removes a row and frees its slot. Returns whether there was one. */
    remove(target: number): boolean {
      const old = rows.get(target);
      if (old === undefined) return false;
      for (const { of, atOf } of indexes) {
        const at = atOf(old);
        if (at !== undefined) of.remove([at, target]);
      }
      const place = placeOf(old);
      if (place !== undefined) giveBack(place);
      share(countedFresh(old), -1);
      return rows.remove(target);
    },
    /** Rows in the order in which they become due; a person's request counts from when it was made. */
    byDue: (range?: InstantRange) => inOrder(byDue, range),
    /** The number of rows that are due before an instant, and of those that are due later. */
    countDue(before: number): { readonly due: number; readonly later: number } {
      const due = byDue.of.countIn({ before: [before, 0] });
      return { due, later: byDue.of.count() - due };
    },
    /** Rows whose day is to be planned, the longest overdue first. */
    byPlan: (range?: InstantRange) => inOrder(byPlan, range),
    /** Rows by the instant at which an objective of theirs is next exceeded or close to it, the earliest first. */
    byCrossing: (range?: InstantRange) => inOrder(byCrossing, range),
    /** Up to `limit` rows after `last`, by the targets' numbers; the first ones without it. */
    rowsAfter: (last: ScheduleRow | undefined, limit: number) => rows.rows({ after: last?.target, limit }),
    /** The rows of the targets from one number to another, both included, by number: faster than to get each. */
    rowsBetween: (from: number, to: number) =>
      new Map([...rows.rows({ from, before: to + 1 })].map((row) => [row.target, row])),
    /** The lowest number that no target with this politeness key and interval has. */
    freeSlot(key: string, everyMs: number): number {
      for (const [, , slot] of gaps.keys({ from: [key, everyMs, 0], before: [key, everyMs, Infinity], limit: 1 })) {
        return slot;
      }
      return grids.get([key, everyMs])?.top ?? 0;
    },
    /** The instant at which the grid of a politeness key and interval begins; `undefined` before its first target. */
    originOf: (key: string, everyMs: number) => grids.get([key, everyMs])?.originAt,
    /** The objectives on a politeness key up to an age, the shortest first. */
    demandsOn: (key: string, longestMs: number) => [
      ...sharesIn({ from: [key, 0, ''], before: [key, longestMs, '\uffff'] }),
    ],
    /** Up to `limit` shares after `last`, by politeness key; the first ones without it. */
    sharesAfter: (last: Share | undefined, limit: number) => sharesIn({ after: last && shareKey(last), limit }),
    /** The shares of a politeness key. */
    sharesOf: (key: string) => [...sharesIn(ofKey(key))],
    /** Whether there are objectives on a politeness key. */
    hasObjectives: (key: string) => shares.count() > 0 && [...shares.keys({ ...ofKey(key), limit: 1 })].length > 0,
    /** Up to `limit` politeness keys to be checked: their objectives changed, or `markShares` named them. */
    markedShares: (limit: number) => [...marked.keys({ limit })],
    markShares: (key: string) => marked.put(key, 1),
    unmarkShares: marked.remove,
    count: rows.count,
  };

  function* inOrder(
    { of }: (typeof indexes)[number],
    { after, before = Infinity, limit }: InstantRange = {},
  ): Generator<ScheduleRow> {
    for (const [, target] of of.keys({ after, before: [before, 0], limit })) {
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

  function share(fresh: FreshRow | undefined, by: 1 | -1): void {
    if (fresh === undefined) return;
    marked.put(fresh.key, 1);
    const key = shareKey(fresh);
    const targets = (shares.get(key) ?? 0) + by * weightOf(fresh);
    if (targets > 0) shares.put(key, targets);
    else shares.remove(key);
  }
}

function shareKey({ key, objectiveMs, source, hours }: Omit<Share, 'targets'>): ShareKey {
  return hours === undefined ? [key, objectiveMs, source] : [key, objectiveMs, source, hours.closedMs, hours.openPart];
}

/** The requests that it takes to verify all that has the objective. */
function weightOf({ records }: FreshRow): number {
  return records?.pages ?? 1;
}

function wakeAt({ dueAt, manualAt }: ScheduleRow): number | undefined {
  if (dueAt === undefined) return manualAt;
  return manualAt === undefined ? dueAt : Math.min(dueAt, manualAt);
}

function planAt({ pace, rest }: ScheduleRow): number | undefined {
  return 'planAt' in pace && rest === undefined ? pace.planAt : undefined;
}

/** When the ages of a target have to be looked at: one changes its level by itself, or an objective begins or ends to hold. */
export function crossAt(row: ScheduleRow): number | undefined {
  if (row.rest === 'set-aside') return undefined;
  const at = Math.min(row.fresh?.crossAt ?? Infinity, row.seasonAt ?? Infinity);
  return at === Infinity ? undefined : at;
}

function placeOf(row: ScheduleRow | undefined): GridPlace | undefined {
  return row !== undefined && 'grid' in row.pace && row.rest === undefined ? row.pace.grid : undefined;
}

/** The objectives of a target, unless it is set aside. */
function countedFresh(row: ScheduleRow | undefined): FreshRow | undefined {
  return row?.rest === 'set-aside' ? undefined : row?.fresh;
}

function isSamePlace(one: GridPlace, other: GridPlace): boolean {
  return one.key === other.key && one.everyMs === other.everyMs && one.slot === other.slot;
}
