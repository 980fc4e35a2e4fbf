import * as z from 'zod';
import { expected } from './expected.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * `"500ms"`, `"90s"`, `"15m"`, `"6h"` or `"1d"` in a file; milliseconds in the program. One of more than a year is a slip of
 * the pen, and some timers hold no more.
 */
export const Duration = durationUpTo('366d');

/** A duration that is not longer than another. */
export function durationUpTo(longest: string) {
  return z
    .stringFormat('duration', /^[1-9]\d{0,11}(?:ms|s|m|h|d)$/, expected('a duration like "15m" (ms, s, m, h or d)'))
    .refine((text) => !(durationMs(text) > durationMs(longest)), expected(`a duration of ${longest} at most`))
    .transform(durationMs);
}

function durationMs(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unitMs[unit] ?? Number.NaN);
}
