import { type RunStep, TurnUnused } from '../step.ts';

/** Counts of steps since a start. */
export interface StepCounts {
  readonly steps: number;
  /** The number of steps that failed because of a worker process, not because of the site. */
  readonly broken: number;
  /** The number of steps that have waited for a worker process: until one took them, or until none had in time. */
  readonly waits: number;
  /** How long these have waited all together, in ms. */
  readonly waitedMs: number;
}

/** Failures that no site is the cause of. */
const ownFailures: ReadonlySet<string> = new Set([
  ...['worker_lost', 'result_too_large', 'extract_crashed', 'render_crashed', 'renderer_missing'],
]);

/**
 * Returns a function that runs steps by `runStep`, and the counts of those that have ended. A step that was cut, or not sent in its turn, counts as none; that it
 * waited counts, unless it was cut or a worker process had taken it.
 *
 * @param now - monotonic, in ms.
 */
export function countSteps(runStep: RunStep, now: () => number): { readonly run: RunStep; counts(): StepCounts } {
  const counts = { steps: 0, broken: 0, waits: 0, waitedMs: 0 };
  return {
    counts: () => ({ ...counts }),
    async run(step, signal, onSent, onCame, onTaken) {
      const from = now();
      let isTaken = false;
      const onceTaken = (worker: string): void => {
        isTaken = true;
        onTaken?.(worker);
      };
      try {
        const outcome = await runStep(step, signal, onSent, onCame, onceTaken);
        counts.steps += 1;
        if (outcome.ran !== undefined) waited(outcome.ran.waitedMs);
        if (outcome.kind === 'failed' && ownFailures.has(outcome.failure.code)) counts.broken += 1;
        return outcome;
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof TurnUnused) {
          if (!isTaken) waited(now() - from);
          throw error;
        }
        counts.steps += 1;
        counts.broken += 1;
        throw error;
      }
    },
  };

  function waited(ms: number): void {
    counts.waits += 1;
    counts.waitedMs += ms;
  }
}
