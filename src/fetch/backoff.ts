/** How a pause grows. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The pause after `failures` in a row, in milliseconds: `baseMs` doubled per further failure, at most `maxMs`, then
 * spread by up to a tenth either way so that what failed together does not come back together. 0 without a failure.
 *
 * @param draw - random, in `[0, 1)`.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffOptions, draw: number): number {
  if (failures === 0) return 0;
  return Math.min(baseMs * 2 ** (failures - 1), maxMs) * (0.9 + 0.2 * draw);
}
