import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { passing } from '../fetch/triage.ts';
import type { RequestResult } from './intent.ts';

/** Code of the failure of a request that was not sent because the opening hours of its source were over. */
export const hoursOver = 'unavailable';

/** Codes of failures for which no request was sent. */
export const unsentFailures: ReadonlySet<string> = new Set(['refused_address', 'url_too_long', 'not_initialised']);

/** Codes of failures whose cause is in the daemon or its settings, and not in the source. */
const ownFailures: ReadonlySet<string> = new Set([
  'cancelled',
  'revoked',
  'time_limit',
  'renderer_missing',
  'render_crashed',
  'worker_lost',
  'stalled',
  'result_too_large',
  hoursOver,
]);

/** Codes of failures that no page of the source escapes: its log-in cannot be made, or the browser for rendered pages is missing. */
const lacks: ReadonlySet<string> = new Set([
  'not_initialised',
  'login_attempts',
  'login_refused',
  'login_unreadable',
  'login_unavailable',
  'renderer_missing',
]);

/** Whether a request failed for the lack of something that every page of the source needs: a log-in, or a browser. */
export function isLack(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && lacks.has(outcome.failure.code);
}

/** Whether a request failed for a cause in the daemon or its settings, so that the failure says nothing of the source. */
export function isOwnFailure(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && ownFailures.has(outcome.failure.code);
}

/** Whether what a request failed for may pass by itself, so that it is worth to ask again: a cause at the site, or a worker process that was lost. */
export function mayPass({ outcome, trouble }: Pick<RequestResult, 'outcome' | 'trouble'>): boolean {
  const isLost = outcome.kind === 'failed' && outcome.failure.code === 'worker_lost';
  return isLost || passing.has(trouble?.cause ?? 'unexpected');
}

/** Whether a request was not sent because the opening hours of its source were over. */
export function isAfterHours(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === hoursOver;
}

/** Whether a request was sent, as far as is known: `false` where the hours were over, or its target was left before its turn came. */
export function wasSent({ wasAsked, outcome }: Pick<RequestResult, 'wasAsked' | 'outcome'>): boolean {
  if (!wasAsked) return false;
  return outcome.kind !== 'failed' || (outcome.failure.code !== hoursOver && outcome.failure.code !== 'cancelled');
}

/**
 * The outcome of a request that was not sent.
 *
 * @param at - wall time.
 */
export function unsentOutcome(failure: StepFailure, at: number): Extract<StepOutcome, { kind: 'failed' }> {
  return { kind: 'failed', failure, at, elapsedMs: 0, bytes: 0 };
}

/**
 * The result of a request that was not sent.
 *
 * @param at - wall time.
 */
export function unsentResult(failure: StepFailure, at: number): RequestResult {
  return { outcome: unsentOutcome(failure, at), generation: 0, wasAsked: false, waitedMs: 0 };
}
