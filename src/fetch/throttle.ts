/** How the delay of a host follows its latency. */
export interface ThrottleOptions {
  /** The delay before anything is known of the host. */
  readonly startMs: number;
  readonly maxMs: number;
  /** Requests that the host is meant to be busy with at a time, on average. */
  readonly concurrency: number;
}

/** As Scrapy's AutoThrottle. */
export const defaultThrottle: ThrottleOptions = { startMs: 5_000, maxMs: 60_000, concurrency: 1 };

/** One response, as far as the throttle cares. */
export interface Latency {
  readonly latencyMs: number;
  /** Whether it is a page with status 200. */
  readonly isPlain: boolean;
}

/**
 * The delay in force: what was learned, or the start.
 *
 * @param learnedMs - `undefined` before the first response.
 * @param floorMs - the delay of the policy, which throttling never undercuts, not even by its own maximum.
 */
export function throttledMs(
  learnedMs: number | undefined,
  { startMs, maxMs }: ThrottleOptions,
  floorMs: number,
): number {
  return Math.max(floorMs, Math.min(learnedMs ?? startMs, maxMs));
}

/**
 * The delay after a response: half-way to its latency, or all the way at once where that is longer. An error is
 * often quick to make, so that only a plain page may shorten the delay.
 */
export function nextThrottledMs(
  delayMs: number,
  { latencyMs, isPlain }: Latency,
  options: ThrottleOptions,
  floorMs: number,
): number {
  const target = latencyMs / options.concurrency;
  const next = throttledMs(Math.max(target, (delayMs + target) / 2), options, floorMs);
  return isPlain ? next : Math.max(delayMs, next);
}
