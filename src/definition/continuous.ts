import * as z from 'zod';
import { defaultContinuous } from '../schedule/continuous.ts';
import { Duration, Interval, IntervalMs, shortestIntervalMs, SpanMs, writtenDuration } from './duration.ts';
import { expected, got } from './expected.ts';
import { strict } from './strict.ts';

const shortest = `a duration of ${writtenDuration(shortestIntervalMs)} at least`;

/** Also `0s`, as for trying a collector out: what its host allows is the only pause then. */
const Sleep = z.string(expected('a duration like "15m" (ms, s, m, h or d)')).transform((text, context) => {
  if (text === '0s') return 0;
  const { data, error } = Duration.safeParse(text);
  const isTooShort = data !== undefined && data < shortestIntervalMs;
  const message = isTooShort ? got(text, `"0s" or ${shortest}`) : error?.issues[0]?.message;
  // Goes on, so that the message of this and not of the whole mapping is told.
  if (message !== undefined) context.addIssue({ code: 'custom', message, input: text, continue: true });
  return data ?? z.NEVER;
});

const SleepMs = SpanMs.refine(
  (ms) => ms === 0 || ms >= shortestIntervalMs,
  expected(`0 or ${shortest} (${shortestIntervalMs} ms)`),
);

/** Again and again, with a pause from the end of a scrape to the next. */
export const Continuous = strict({
  sleep: Sleep.prefault(writtenDuration(defaultContinuous.sleepMs)),
  /** After failures the pause doubles up to this. Default: 6 h, or the sleep where that is longer. */
  longest: Interval.exactOptional(),
})
  .superRefine(({ sleep, longest }, context) => checkLongest('longest', sleep, longest, context))
  .transform(({ sleep, longest }) => ({ sleep, longest: longest ?? longestAfter(sleep) }));

/** The same where a program says it. */
export const ContinuousInput = z
  .strictObject({
    /** From the end of a scrape to the next: 0, or 1 s at least. */
    sleepMs: SleepMs.default(defaultContinuous.sleepMs),
    /** After failures the pause doubles up to this; no shorter than the sleep. Default: 6 h, or the sleep where that is longer. */
    longestMs: IntervalMs.exactOptional(),
  })
  .superRefine(({ sleepMs, longestMs }, context) => checkLongest('longestMs', sleepMs, longestMs, context));

/** The longest pause after failures, where none is given. */
export function longestAfter(sleepMs: number): number {
  return Math.max(sleepMs, defaultContinuous.longestMs);
}

function checkLongest(
  name: string,
  sleepMs: number,
  longestMs: number | undefined,
  context: z.core.$RefinementCtx,
): void {
  // What is no duration is told of at its own place.
  if (typeof longestMs !== 'number' || !(sleepMs > longestMs)) return;
  const what = `a duration of ${writtenDuration(sleepMs)} at least, as the sleep is`;
  const message = `expected ${what}, got ${writtenDuration(longestMs)}`;
  context.addIssue({ code: 'custom', path: [name], message, input: longestMs });
}
