import { type Grid, nextOnGrid, slotFraction } from './grid.ts';

/** What decides when a target is due; all instants are wall time. */
export interface DueInputs {
  /** The present. */
  readonly at: number;
  /** Set for a target that was just added or restored: it is scraped so long after `at`. */
  readonly initialDelayMs?: number;
  /** Where the target's interval puts it. */
  readonly grid: Grid;
}

/** When a target is next due: after its initial delay, else at the next instant of its grid. A missed instant is not made up for. */
export function nextDue({ at, initialDelayMs, grid }: DueInputs): number {
  return initialDelayMs === undefined ? nextOnGrid(grid, at) : at + initialDelayMs;
}

/**
 * The grid of a target that takes `slot` among those of its politeness key and interval.
 *
 * @param originAt - of the targets that are there already; the first one's is its own first scrape.
 */
export function gridOf(originAt: number, everyMs: number, slot: number): Grid {
  return { originAt, everyMs, phaseMs: Math.floor(slotFraction(slot) * everyMs) };
}
