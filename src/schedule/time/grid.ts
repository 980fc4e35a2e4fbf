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

/** A target's place in a grid, as its row keeps it. */
export interface GridPlace extends Grid {
  readonly slot: number;
  /** The politeness key. */
  readonly key: string;
}

/** Which places of the grids are taken. */
export interface GridPlaces {
  /** The lowest slot that no target of this politeness key and interval has. */
  readonly freeSlot: (key: string, everyMs: number) => number;
  /** Where a grid begins; `undefined` for one that has had no target yet. */
  readonly originOf: (key: string, everyMs: number) => number | undefined;
}

/**
 * The lowest free place among the targets of one politeness key and interval.
 *
 * @param startAt - where the grid begins if this is its first target.
 */
export function placeInGrid(
  key: string,
  everyMs: number,
  { freeSlot, originOf }: GridPlaces,
  startAt: number,
): GridPlace {
  const slot = freeSlot(key, everyMs);
  return { key, slot, ...gridOf(originOf(key, everyMs) ?? startAt, everyMs, slot) };
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
