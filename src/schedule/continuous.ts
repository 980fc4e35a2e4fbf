/** Again and again: a scrape begins a while after the last one ended. */
export interface Continuous {
  /** From the end of one scrape to the begin of the next; 0 for at once. */
  readonly sleepMs: number;
  /** The longest pause after failures; no shorter than the sleep. */
  readonly longestMs: number;
}

/** A collector's cycle. */
export const defaultContinuous: Continuous = { sleepMs: 3_600_000, longestMs: 21_600_000 };

/** Even one that does not sleep lets this pass after a failure. */
const firstPauseMs = 60_000;

/** How the last scrape left things. */
export interface LastRun {
  /** When it ended. */
  readonly endedAt: number;
  /** How many in a row failed up to it. */
  readonly failures: number;
}

/**
 * When the next scrape begins: the sleep after the end; after n failures in a row the sleep, or a minute if that is longer,
 * doubled n − 1 times, to the longest pause, and spread by a tenth, though never under the sleep.
 *
 * @param draw - random, in `[0, 1)`, kept with the failure so that the answer stays the same.
 */
export function continuousAt({ endedAt, failures }: LastRun, { sleepMs, longestMs }: Continuous, draw: number): number {
  if (failures === 0) return endedAt + sleepMs;
  const doubled = Math.max(sleepMs, firstPauseMs) * 2 ** (failures - 1);
  const pause = Math.min(doubled, Math.max(longestMs, sleepMs)) * (0.9 + 0.2 * draw);
  return endedAt + Math.max(sleepMs, Math.round(pause));
}
