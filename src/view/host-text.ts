import type { CircuitView, HoldView, RobotsView } from './host.ts';
import { ageText, durationText } from '../time-text.ts';
import { countText, plainText } from './text.ts';

/** Formats what delays the next request to a host. */
export function holdText({ kind, delayMs = 0, capped, step }: HoldView): string {
  switch (kind) {
    case 'gap':
      return `gap of ${durationText(delayMs)}`;
    case 'crawl_delay':
      return `crawl-delay of ${durationText(delayMs)}`;
    case 'throttle':
      return `throttle of ${durationText(delayMs)}`;
    case 'retry_after':
      return capped ? 'Retry-After, capped' : 'Retry-After';
    case 'back_off':
      return `back-off, step ${step}`;
    case 'concurrency':
      return 'as many under way as may be';
    case 'unsent':
      return 'one under way is not sent yet';
    case 'circuit':
      return 'circuit open';
    case 'pause':
      return 'paused';
    default:
      return kind satisfies never;
  }
}

/** Formats the circuit of a source that is stopped or resuming. */
export function circuitText({ state, nextAt, times }: CircuitView, now: number): string {
  const what = state === 'open' ? 'open, as most of its targets failed' : 'resuming, a few targets at first';
  const next = nextAt === undefined ? '' : `; tried again ${ageText(nextAt, now)}`;
  return `${what}${times > 1 ? `, ${times} times in a row` : ''}${next}`;
}

/** Formats what is known of the robots.txt of an origin. */
export function robotsText(
  { askedAt, askAt, status, rules, crawlDelayMs, unreachable }: RobotsView,
  now: number,
): string {
  if (askedAt === undefined) return 'not asked for yet';
  return [
    `asked ${ageText(askedAt, now)}`,
    ...(status === undefined ? [] : [`status ${status}`, countText(rules ?? 0, 'rule')]),
    ...(crawlDelayMs === undefined ? [] : [`crawl-delay ${durationText(crawlDelayMs)}`]),
    ...(unreachable === undefined
      ? []
      : [`unreachable ${countText(unreachable.times, 'time')} since: ${plainText(unreachable.cause)}`]),
    ...(askAt === undefined ? [] : [`again ${askAt <= now ? 'when needed' : ageText(askAt, now)}`]),
  ].join(', ');
}
