import * as z from 'zod';
import { expected } from './expected.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest duration in a file: more is probably a mistake, and some timers hold no more. */
const longest = '366d';

/** The shortest interval of anything repeated. */
const shortestInterval = '1s';
/** The shortest interval, in ms. */
export const shortestIntervalMs = durationMs(shortestInterval);

/** `"500ms"`, `"90s"`, `"15m"`, `"6h"` or `"1d"` in a file; milliseconds in the program. */
export const Duration = durationUpTo(longest);

/** Makes the schema of a duration that is not longer than `most`, which is one in the same form. */
export function durationUpTo(most: string) {
  return durationForm(most).transform(durationMs);
}

/** A duration, or `"0ms"` for none. */
export const Pause = durationForm(longest, { orNone: true }).transform(durationMs);

/** A duration of 1 second at least: the time between two repetitions, or the limit of something long. */
export const Interval = durationForm(longest)
  .refine((text) => !(durationMs(text) < shortestIntervalMs), expected(`a duration of ${shortestInterval} at least`))
  .transform(durationMs);

/** Milliseconds as a request of the control plane gives them, up to the longest duration in a file. */
export const SpanMs = z
  .int()
  .min(0, expected('milliseconds, none or more'))
  .max(durationMs(longest), expected(`a duration of ${longest} at most (${durationMs(longest)} ms)`));

/** An interval where a program says it. */
export const IntervalMs = SpanMs.min(
  shortestIntervalMs,
  expected(`a duration of ${shortestInterval} at least (${shortestIntervalMs} ms)`),
);

/** Writes milliseconds as in a file, in the largest unit that gives a whole number: `90s`, `1h`. */
export function writtenDuration(ms: number): string {
  const [unit = 'ms', inUnit = 1] = Object.entries(unitMs).findLast(([, each]) => ms % each === 0) ?? [];
  return `${ms / inUnit}${unit}`;
}

function durationForm(most: string, { orNone = false } = {}) {
  const form = orNone ? /^(?:0ms|[1-9]\d{0,11}(?:ms|s|m|h|d))$/ : /^[1-9]\d{0,11}(?:ms|s|m|h|d)$/;
  return z
    .stringFormat('duration', form, {
      ...expected(`a duration like "15m" (ms, s, m, h or d)${orNone ? ', or "0ms" for none' : ''}`),
      // What has no such form is told of once.
      abort: true,
    })
    .refine((text) => !(durationMs(text) > durationMs(most)), expected(`a duration of ${most} at most`));
}

function durationMs(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unitMs[unit] ?? Number.NaN);
}
