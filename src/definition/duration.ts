import * as z from 'zod';
import { expected } from './expected.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest duration that a file may name; a longer one is a slip of the pen, and some timers hold no more. */
const longestMs = 366 * 86_400_000;

/** `"500ms"`, `"90s"`, `"15m"`, `"6h"` or `"1d"` in a file, up to 366 days; milliseconds in the program. */
export const Duration = z
  .stringFormat('duration', /^[1-9]\d{0,11}(?:ms|s|m|h|d)$/, expected('a duration like "15m" (ms, s, m, h or d)'))
  .refine((text) => !(durationMs(text) > longestMs), expected('a duration of 366 days at most'))
  .transform(durationMs);

function durationMs(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unitMs[unit] ?? Number.NaN);
}
