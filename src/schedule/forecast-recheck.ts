import { nextGridTurn } from './grid.ts';

/** How the objective of a target draws its turns forward. */
export interface ForecastRecheck {
  /** It asks again so long after the last turn: its age less its lead. */
  readonly afterMs: number;
  /** When it asks next. Default: `afterMs` from the begin of the forecast. */
  readonly nextAt?: number;
}

/** A target that has not come back to its grid after so many turns is taken not to. */
const maxTurns = 1_000;

/** How often a target of an interval is asked, on average, if its objective asks `afterMs` after each turn. */
export function drawnEveryMs(everyMs: number, afterMs: number): number {
  if (afterMs >= everyMs) return everyMs;
  const grid = { originAt: 0, everyMs, phaseMs: 0 };
  let dueAt = everyMs;
  for (let [turns, doneAt] = [1, 0]; turns < maxTurns; turns += 1) {
    // All begins again where a turn comes by the interval.
    if (dueAt <= doneAt + afterMs) return dueAt / turns;
    doneAt += afterMs;
    dueAt = nextGridTurn(grid, doneAt, doneAt);
  }
  return afterMs;
}
