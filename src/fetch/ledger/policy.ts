/** How often one politeness key may be asked. Durations are milliseconds. */
export interface Policy {
  /** Requests at a time. */
  readonly concurrency: number;
  /** The usual gap between two requests; each gap is drawn from half to one and a half times it. */
  readonly delayMs: number;
  /** No gap is shorter. */
  readonly minDelayMs: number;
  /** The crawl-delay of the site's robots.txt; no gap is shorter. */
  readonly crawlDelayMs?: number | undefined;
  /** The rest after a rendered page, one gap for each request of its scripts; no gap after the page is shorter. */
  readonly scriptsMs?: number;
  /** Lets the usual gap follow the latency, never under `delayMs`; off when missing. */
  readonly autoThrottle?: ThrottleOptions | undefined;
}

/** The usual gap in milliseconds: the policy's delay, or what its throttle has made of it. */
export function usualMs({ delayMs, autoThrottle }: Policy, throttleMs: number | undefined): number {
  return autoThrottle ? throttledMs(throttleMs, autoThrottle, delayMs) : delayMs;
}

/** The gap after a request, in milliseconds. */
export function gapMs(policy: Policy, draw: number, throttleMs?: number): number {
  return Math.max(leastMs(policy), usualMs(policy, throttleMs) * (0.5 + draw));
}

function leastMs({ minDelayMs, crawlDelayMs = 0, scriptsMs = 0 }: Policy): number {
  return Math.max(minDelayMs, crawlDelayMs, scriptsMs);
}

/** The longest rest after a rendered page for the requests of its scripts, in milliseconds. */
const longestStretchMs = 300_000;

/** The policy for the gap after a turn under which `more` further requests were made: each adds the shortest gap once. */
export function stretched(policy: Policy, more: number): Policy {
  return { ...policy, scriptsMs: Math.min(leastMs(policy) * (1 + more), longestStretchMs) };
}

/**
 * The gap that the site itself asks for, in milliseconds: by its robots.txt, its scripts, or a latency that led to a longer gap than the
 * policy's.
 */
export function siteGapMs(policy: Policy, throttleMs: number | undefined): number {
  const { delayMs, crawlDelayMs = 0, scriptsMs = 0 } = policy;
  const taughtMs = throttleMs === undefined ? 0 : usualMs(policy, throttleMs);
  return Math.max(crawlDelayMs, scriptsMs, taughtMs > delayMs ? taughtMs : 0);
}

/** The usual pause between two requests to a key, in milliseconds, before the gap is drawn at random. */
export function paceMs(policy: Policy, throttleMs: number | undefined): number {
  return Math.max(usualMs(policy, throttleMs), leastMs(policy));
}

/** How the usual gap of a host follows its latency. */
export interface ThrottleOptions {
  /** The gap before the first response. */
  readonly startMs: number;
  readonly maxMs: number;
  /** The average number of requests that the host is to work on at a time. */
  readonly concurrency: number;
}

/** The part of a response that the throttle learns from. */
export interface Latency {
  readonly latencyMs: number;
  /** Whether the response is a page with status 200. */
  readonly isPlain: boolean;
}

/**
 * The gap in force, in milliseconds: the learned one, or else `startMs`.
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
 * The gap after a response, in milliseconds: half-way from the gap before to the latency, or all the way where that is longer. Only a
 * plain page may shorten the gap, since errors are often answered quickly.
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
