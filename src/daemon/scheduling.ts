import type { Settings } from '../control/methods/settings.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { politenessKey } from '../definition/source.ts';
import { gridOf, nextDue } from '../schedule/due.ts';
import type { ScheduleRow, TargetRow } from '../store/rows.ts';
import type { FreeSlot, OriginOf, Scheduling } from '../store/store.ts';

/** Says when targets are due, from the definitions and settings in force. */
export function createScheduling(catalogue: () => Catalogue, settings: () => Settings): Scheduling {
  return {
    first(target, at, freeSlot, originOf) {
      const { initialDelayMs } = settings();
      const grid = place(target, at + initialDelayMs, freeSlot, originOf);
      return { target: target.target, grid, first: true, dueAt: nextDue({ at, initialDelayMs, grid }) };
    },
    next(target, row, at, freeSlot, originOf) {
      // While its source is not loaded, as at the start, its place in the grid is not known to be wrong.
      const isLoaded = catalogue().sources.has(target.source);
      const isInPlace = !isLoaded || (row.grid.key === keyOf(target) && row.grid.everyMs === everyMsOf(target));
      // A scrape that a person asked for before the first one does not stand in for it.
      if (isInPlace && row.first && row.dueAt > at) return row;
      const grid = isInPlace ? row.grid : place(target, at, freeSlot, originOf);
      return { target: target.target, grid, first: false, dueAt: nextDue({ at, grid }) };
    },
  };

  function place(target: TargetRow, startAt: number, freeSlot: FreeSlot, originOf: OriginOf): ScheduleRow['grid'] {
    const [key, everyMs] = [keyOf(target), everyMsOf(target)];
    const slot = freeSlot(key, everyMs);
    return { key, slot, ...gridOf(originOf(key, everyMs) ?? startAt, everyMs, slot) };
  }

  function everyMsOf(target: TargetRow): number {
    return target.everyMs ?? catalogue().sources.get(target.source)?.source.every ?? settings().everyMs;
  }

  function keyOf(target: TargetRow): string {
    const source = catalogue().sources.get(target.source)?.source;
    return source === undefined ? new URL(target.url).origin : politenessKey(source, target.url);
  }
}
