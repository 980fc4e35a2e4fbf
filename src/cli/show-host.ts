import type { CircuitView, HoldView } from '../control/methods/host.ts';
import { ageText, durationText } from '../time-text.ts';

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
