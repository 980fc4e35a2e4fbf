import type { StepOutcome } from '../engine/step.ts';
import { hoursOver } from './ask.ts';

/** Failures for what we did or lack, which say nothing of the source. */
const ownFailures: ReadonlySet<string> = new Set([
  'cancelled',
  'time_limit',
  'renderer_missing',
  'render_crashed',
  hoursOver,
]);

/** What has to be there before anybody can be asked: a log-in, and the browser for pages that are rendered. */
const needs: ReadonlySet<string> = new Set([
  'not_initialised',
  'login_attempts',
  'login_refused',
  'login_unreadable',
  'login_unavailable',
  'renderer_missing',
]);

/** Whether something was missing without which no page of the source can be asked for. */
export function isLack(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && needs.has(outcome.failure.code);
}

/** Whether a step failed for what we did or lack, and not for anything of its source. */
export function isOwnFailure(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && ownFailures.has(outcome.failure.code);
}
