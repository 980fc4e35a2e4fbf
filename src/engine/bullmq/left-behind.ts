import type { Cluster } from './cluster.ts';
import { StepJob, StepResult } from './protocol.ts';
import type { BullQueue } from './queue-server.ts';

/** What an earlier life of a daemon left in the queues, by the ids of the steps. */
export interface LeftBehind {
  /** Steps that worker processes run. */
  readonly steps: ReadonlyMap<string, StepJob>;
  /** Results that were not acknowledged. */
  readonly results: ReadonlyMap<string, StepResult>;
}

/** Reads what an earlier life left in the queues. Calls `refused` for a job that was not sealed by it, and leaves that out. */
export async function leftBehind(
  steps: BullQueue,
  results: BullQueue,
  { cluster, refused }: { readonly cluster: Cluster; refused(error: unknown): void },
): Promise<LeftBehind> {
  const running = await steps.getActive(0, -1);
  // Read after the steps, so that a step which ends meanwhile is among either.
  const ended = [...(await results.getActive(0, -1)), ...(await results.getWaiting(0, -1))];
  return {
    steps: opened(running, (id, data) => StepJob.parse(cluster.open('job', id, data))),
    results: opened(ended, (id, data) => StepResult.parse(cluster.open('result', id, data))),
  };

  function opened<T>(
    jobs: readonly { readonly id?: string; readonly data: string }[],
    open: (id: string, data: string) => T,
  ): ReadonlyMap<string, T> {
    const found = new Map<string, T>();
    for (const { id, data } of jobs) {
      try {
        if (id !== undefined) found.set(id, open(id, data));
      } catch (error) {
        refused(error);
      }
    }
    return found;
  }
}
