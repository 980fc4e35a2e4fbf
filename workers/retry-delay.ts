/**
 * The pause before something is tried again that was stopped `times` times in a row because it crashed too often, in milliseconds: a child
 * that its supervisor gave up is started again, a parked target is released. A minute, doubled each time up to six hours; for a child of
 * `edge` half a minute, doubled up to one hour. Spread by a tenth.
 *
 * @param random - in `[0, 1)`.
 */
export function retryDelayMs(kind: 'edge' | 'source' | 'project' | 'target', times: number, random: number): number {
  const [firstMs, longestMs] = kind === 'edge' ? [30_000, 3_600_000] : [60_000, 21_600_000];
  return Math.min(firstMs * 2 ** (times - 1), longestMs) * (0.9 + 0.2 * random);
}
