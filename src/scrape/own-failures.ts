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

/** Whether a step failed for what we did or lack, and not for anything of its source. */
export function isOwnFailure(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && ownFailures.has(outcome.failure.code);
}
