import * as z from 'zod';
import { durationMs, longestMs, shortestMs, writtenText } from '../time-text.ts';
import { expected } from './expected.ts';

const longest = writtenText(longestMs);
const expectedInterval = `a duration of ${writtenText(shortestMs)} at least`;

/** `"500ms"`, `"90s"`, `"15m"`, `"6h"` or `"1d"` in a file; milliseconds in the program. */
export const Duration = durationUpTo(longest);

/** Makes the schema of a duration that is not longer than `most`, which is one in the same form. */
export function durationUpTo(most: string) {
  return durationForm(most).transform(msOf);
}

/** A duration, or `"0ms"` for none. */
export const Pause = durationForm(longest, { orNone: true }).transform(msOf);

/** A duration of 1 second at least: the time between two repetitions, or the limit of something long. */
export const Interval = durationForm(longest)
  .refine((text) => msOf(text) >= shortestMs, expected(expectedInterval))
  .transform(msOf);

/** Milliseconds as a request of the control plane gives them, up to the longest duration in a file. */
export const SpanMs = z
  .int()
  .min(0, expected('milliseconds, none or more'))
  .max(longestMs, expected(`a duration of ${longest} at most (${longestMs} ms)`));

/** An interval where a program says it. */
export const IntervalMs = SpanMs.min(shortestMs, expected(`${expectedInterval} (${shortestMs} ms)`));

function durationForm(most: string, { orNone = false } = {}) {
  const form = orNone ? /^(?:0ms|[1-9]\d{0,11}(?:ms|s|m|h|d))$/ : /^[1-9]\d{0,11}(?:ms|s|m|h|d)$/;
  return z
    .stringFormat('duration', form, {
      ...expected(`a duration like "15m" (ms, s, m, h or d)${orNone ? ', or "0ms" for none' : ''}`),
      // What has no such form is told of once.
      abort: true,
    })
    .refine((text) => msOf(text) <= msOf(most), expected(`a duration of ${most} at most`));
}

/** Milliseconds of a duration of a valid form: `0ms` is the only one that `durationMs` does not know. */
function msOf(text: string): number {
  return durationMs(text) ?? 0;
}
