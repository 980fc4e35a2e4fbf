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

/** The first instant of the grid after `at`. */
export function nextOnGrid({ originAt, everyMs, phaseMs }: Grid, at: number): number {
  const base = originAt + phaseMs;
  return base + (Math.floor((at - base) / everyMs) + 1) * everyMs;
}

/** Overdue targets are spread over this long at most when the daemon starts, in milliseconds. */
const bootWindowMs = 300_000;

/**
 * When a target that fell due while the daemon was down begins: spread by its slot over its interval, five minutes at most,
 * so that a restart is no storm. A target that is due later keeps its time.
 */
export function dueAfterBoot(dueAt: number, bootAt: number, everyMs: number, slot: number): number {
  return dueAt > bootAt ? dueAt : bootAt + slotFraction(slot) * Math.min(everyMs, bootWindowMs);
}
