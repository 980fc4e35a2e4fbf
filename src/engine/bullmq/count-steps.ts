import { type RunStep, TurnUnused } from '../step.ts';

/** Counts of steps since a start. */
export interface StepCounts {
  readonly steps: number;
  /** The number of steps that failed because of a worker process, not because of the site. */
  readonly broken: number;
  /** How long all together have waited for a worker process, in ms. */
  readonly waitedMs: number;
}

/** Failures that no site is the cause of. */
const ownFailures: ReadonlySet<string> = new Set([
  ...['worker_lost', 'result_too_large', 'extract_crashed', 'render_crashed', 'renderer_missing'],
]);

/** Returns a function that runs steps by `runStep`, and the counts of those that have ended. A step that was cut, or not sent in its turn, counts as none. */
export function countSteps(runStep: RunStep): { readonly run: RunStep; counts(): StepCounts } {
  const counts = { steps: 0, broken: 0, waitedMs: 0 };
  return {
    counts: () => ({ ...counts }),
    async run(step, signal, ...told) {
      try {
        const outcome = await runStep(step, signal, ...told);
        counts.steps += 1;
        counts.waitedMs += outcome.ran?.waitedMs ?? 0;
        if (outcome.kind === 'failed' && ownFailures.has(outcome.failure.code)) counts.broken += 1;
        return outcome;
      } catch (error) {
        if (error instanceof TurnUnused || signal.aborted) throw error;
        counts.steps += 1;
        counts.broken += 1;
        throw error;
      }
    },
  };
}
