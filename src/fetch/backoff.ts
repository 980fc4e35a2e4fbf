/** How a pause grows. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** How often a host was stepped back from, and until when it is left alone for it. Plain data. */
export interface Backoff {
  /** Each step doubles the pause. */
  readonly step: number;
  readonly until: number;
  /** When the last step was taken. */
  readonly steppedAt: number;
  /** So many answers forgive all steps. */
  readonly answersLeft: number;
}

/** Nothing to wait for. */
export const noBackoff: Backoff = { step: 0, until: -Infinity, steppedAt: -Infinity, answersLeft: 0 };

/**
 * One answer shows that a host which failed is there, and its failures may have been those of a few pages. One that refused
 * said that it is asked too much, and one answer between two refusals does not take that back.
 */
export const forgivingAnswers = { failed: 1, refused: 3 };

/** So long a quiet after the pause forgives them too: twice the longest pause. */
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

/** A host refused or failed to answer. */
export interface Refusal {
  readonly kind: 'refused' | 'failed';
  readonly sentAt: number;
  readonly now: number;
  readonly draw: number;
}

/**
 * One step further back. What was sent before the last step was in flight when it was taken, and says nothing new: of a
 * burst that is refused, only the first refusal steps.
 */
export function withRefusal(backoff: Backoff, { kind, sentAt, now, draw }: Refusal, options: BackoffOptions): Backoff {
  if (backoff.step > 0 && sentAt <= backoff.steppedAt) return backoff;
  const step = isForgiven(backoff, now) ? 1 : backoff.step + 1;
  const answersLeft = Math.max(backoff.answersLeft, forgivingAnswers[kind]);
  return { step, until: now + backoffMs(step, options, draw), steppedAt: now, answersLeft };
}

/** An answer to what was sent at `sentAt`; what was sent before the last step forgives nothing. */
export function withAnswer(backoff: Backoff, sentAt: number): Backoff {
  if (backoff.step === 0 || sentAt <= backoff.steppedAt) return backoff;
  const answersLeft = backoff.answersLeft - 1;
  return answersLeft > 0 ? { ...backoff, answersLeft } : noBackoff;
}

/** Whether the next refusal would be a first one. */
export function isForgiven({ step, until }: Backoff, now: number): boolean {
  return step === 0 || until + forgivingQuietMs <= now;
}
