import type { Clock } from '../clock.ts';
import type { StepOutcome } from '../engine/step.ts';
import { isAvailable, type OpenHours } from '../schedule/available.ts';
import { type Ask, hoursOver, type Within } from '../scrape/ask.ts';

/** Asks only within the hours of a source, which may be over when the turn comes. */
export function withinHours(hours: readonly OpenHours[], clock: Clock, inner: Ask): Ask {
  if (hours.length === 0) return inner;
  const isOpen = (): boolean => isAvailable(hours, clock.now());
  return async (wish, signal) => {
    if (!isOpen()) return { outcome: over(clock.now()), generation: 0, wasAsked: false, waitedMs: 0 };
    const { within = (run, limited) => run(limited) } = wish;
    const inHours: Within = (run, limited) => (isOpen() ? within(run, limited) : Promise.resolve(over(clock.now())));
    return inner({ ...wish, within: inHours }, signal);
  };
}

/** What comes of a page whose turn comes behind the hours. */
export function over(at: number): StepOutcome {
  const failure = { code: hoursOver, message: 'the hours in which the source may be asked are over' };
  return { kind: 'failed', failure, at, elapsedMs: 0, bytes: 0 };
}
