import { type ThrottleOptions, throttledMs } from './throttle.ts';

/** How often one politeness key may be asked. */
export interface Policy {
  /** Requests at a time. */
  readonly concurrency: number;
  /** The usual gap between two requests; each gap is drawn from half to one and a half times it. */
  readonly delayMs: number;
  /** No gap is shorter. */
  readonly minDelayMs: number;
  /** What the site's robots.txt asks for; no gap is shorter than that either. */
  readonly crawlDelayMs?: number | undefined;
  /** What the scripts of a page have asked for besides takes so long, by what no gap may be shorter than; no gap after it is shorter. */
  readonly scriptsMs?: number;
  /** Lets the usual gap follow the latency, never under `delayMs`; off when missing. */
  readonly autoThrottle?: ThrottleOptions | undefined;
}

/** The policy of a source that sets none, but for the throttle. */
export const defaultPolicy: Policy = { concurrency: 1, delayMs: 1_000, minDelayMs: 500 };

/** The usual gap: the policy's delay, or what its throttle has made of it. */
export function usualMs({ delayMs, autoThrottle }: Policy, throttleMs: number | undefined): number {
  return autoThrottle ? throttledMs(throttleMs, autoThrottle, delayMs) : delayMs;
}

/** The pause after a request, from the draw made for it. */
export function gapMs(policy: Policy, draw: number, throttleMs?: number): number {
  return Math.max(leastMs(policy), usualMs(policy, throttleMs) * (0.5 + draw));
}

function leastMs({ minDelayMs, crawlDelayMs = 0, scriptsMs = 0 }: Policy): number {
  return Math.max(minDelayMs, crawlDelayMs, scriptsMs);
}

/** No gap after a page is stretched beyond this for what its scripts have asked. */
const longestStretchMs = 300_000;

/** The policy that counts after a request under whose turn so many more were made: what no gap may be shorter than counts for each. */
export function stretched(policy: Policy, more: number): Policy {
  return { ...policy, scriptsMs: Math.min(leastMs(policy) * (1 + more), longestStretchMs) };
}

/** The gap that the site itself asks for: by its robots.txt, its scripts, and a latency that has taught a longer one than the policy's. */
export function siteGapMs(policy: Policy, throttleMs: number | undefined): number {
  const { delayMs, crawlDelayMs = 0, scriptsMs = 0 } = policy;
  const taughtMs = throttleMs === undefined ? 0 : usualMs(policy, throttleMs);
  return Math.max(crawlDelayMs, scriptsMs, taughtMs > delayMs ? taughtMs : 0);
}

/** How long the key is usually left alone, however the gap is drawn. */
export function paceMs(policy: Policy, throttleMs: number | undefined): number {
  return Math.max(usualMs(policy, throttleMs), leastMs(policy));
}
