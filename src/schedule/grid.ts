/**
 * The fraction of the interval at which slot `k` of a grid sits: the bits of `k` mirrored at the binary point (van der
 * Corput's sequence), so 0, ½, ¼, ¾, ⅛ … Any first n slots are at least 1/(2n) apart, around the wrap too, and adding one moves none.
 */
export function slotFraction(slot: number): number {
  let fraction = 0;
  for (let rest = slot, weight = 0.5; rest > 0; rest = Math.floor(rest / 2), weight /= 2)
    fraction += (rest % 2) * weight;
  return fraction;
}

/** The fixed instants at which one target is due: `originAt + phaseMs + n · everyMs`, wall time. */
export interface Grid {
  /** Shared by all targets of one (politeness key, interval), so that their phases can be compared. */
  readonly originAt: number;
  readonly everyMs: number;
  readonly phaseMs: number;
}

/**
 * The grid of a target that takes `slot` among those of its politeness key and interval.
 *
 * @param originAt - of the targets that are there already; the first one's is its own first scrape.
 */
export function gridOf(originAt: number, everyMs: number, slot: number): Grid {
  return { originAt, everyMs, phaseMs: Math.floor(slotFraction(slot) * everyMs) };
}

/** The first instant of the grid after `at`. */
export function nextOnGrid({ originAt, everyMs, phaseMs }: Grid, at: number): number {
  const base = originAt + phaseMs;
  return base + (Math.floor((at - base) / everyMs) + 1) * everyMs;
}

/**
 * The first instant of the grid that is not over: after the last turn, and more than half an interval after one that was drawn
 * forward, which stands in for the instant that it came before.
 *
 * @param since - when the last turn was over.
 * @param drawnAt - when it began, if it was drawn forward.
 */
export function nextGridTurn(grid: Grid, since: number, drawnAt = -Infinity): number {
  return nextOnGrid(grid, Math.max(since, drawnAt + grid.everyMs / 2));
}

/** How long the targets that fell due while the daemon was down take to begin: a second each, and no more than this. */
const bootWindowMs = 300_000;

/** Counting any further overdue targets changes nothing. */
export const overdueThatCount = bootWindowMs / 1_000;

/** When the daemon started, wall time, and how many targets had fallen due by then, as far as they count. */
export interface Boot {
  readonly at: number;
  readonly overdue: number;
}

/**
 * When a target begins: one that fell due while the daemon was down somewhere in the time after its start, though no later
 * than its interval, so that a restart is no storm; one that is due later keeps its time. Targets are numbered in a row,
 * so that their numbers as slots lie apart, whatever hosts they are on.
 */
export function dueAfterBoot(dueAt: number, boot: Boot, everyMs: number, target: number): number {
  if (dueAt > boot.at) return dueAt;
  return boot.at + slotFraction(target) * Math.min(everyMs, boot.overdue * 1_000, bootWindowMs);
}
