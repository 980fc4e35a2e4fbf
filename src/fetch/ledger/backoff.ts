/** How a pause grows. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** How often the pause before a host was raised, and until when it lasts. Plain data; instants are of one monotonic clock. */
export interface Backoff {
  /** How often the pause was doubled; 0 for none. */
  readonly step: number;
  readonly until: number;
  /** When the last step was taken. */
  readonly steppedAt: number;
  /** The number of answers after which `step` returns to 0. */
  readonly answersLeft: number;
}

/** No pause. */
export const noBackoff: Backoff = { step: 0, until: -Infinity, steppedAt: -Infinity, answersLeft: 0 };

/**
 * The number of answers that end a back-off, by what began it. After a failure one answer shows that the host is there. A host that
 * refused said that it is asked too often, and one answer between two refusals does not take that back.
 */
export const forgivingAnswers = { failed: 1, refused: 3 };

/** The time without a request after which a back-off counts as ended, in milliseconds: twice the longest pause. */
export const forgivingQuietMs = 600_000;

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

/** One refusal or failure of a host, as the back-off counts it. */
export interface HostRefusal {
  readonly kind: 'refused' | 'failed';
  readonly sentAt: number;
  readonly now: number;
  readonly draw: number;
}

/**
 * Raises the back-off by one step. A request that was sent before the last step changes nothing, so that a burst of refusals counts
 * as one.
 */
export function withRefusal(
  backoff: Backoff,
  { kind, sentAt, now, draw }: HostRefusal,
  options: BackoffOptions,
): Backoff {
  if (backoff.step > 0 && sentAt <= backoff.steppedAt) return backoff;
  const step = isForgiven(backoff, now) ? 1 : backoff.step + 1;
  const answersLeft = Math.max(backoff.answersLeft, forgivingAnswers[kind]);
  return { step, until: now + backoffMs(step, options, draw), steppedAt: now, answersLeft };
}

/** Counts an answer to a request sent at `sentAt`. A request that was sent before the last step does not count. */
export function withAnswer(backoff: Backoff, sentAt: number): Backoff {
  if (backoff.step === 0 || sentAt <= backoff.steppedAt) return backoff;
  const answersLeft = backoff.answersLeft - 1;
  return answersLeft > 0 ? { ...backoff, answersLeft } : noBackoff;
}

/** Whether the back-off has ended, so that the next refusal starts at the first step. */
export function isForgiven({ step, until }: Backoff, now: number): boolean {
  return step === 0 || until + forgivingQuietMs <= now;
}
