import type { Cluster } from './cluster.ts';
import { isAnswer } from './dispatched.ts';
import { StepJob, StepResult } from './protocol.ts';
import type { BullQueue } from './queue-server.ts';

/** What an earlier life of a daemon left in the queues, by the ids of the steps. */
export interface LeftBehind {
  /** Steps that worker processes run. */
  readonly steps: ReadonlyMap<string, StepJob>;
  /** Results of steps that came to their end, uncut, and were not acknowledged. */
  readonly results: ReadonlyMap<string, StepResult>;
}

/** How the queues of an earlier life are read. */
export interface LeftBehindDeps {
  readonly cluster: Cluster;
  /** The server's time in ms of the oldest result that is of use. */
  readonly oldest: number;
  /** Tells of the steps that were lost, by results, and takes out those that wait. */
  clear(): Promise<void>;
  /** Called for a job that was not sealed by the cluster, which is left out. */
  refused(error: unknown): void;
}

/** Reads what an earlier life left in the queues, and clears them of what is of no use. */
export async function leftBehind(
  steps: BullQueue,
  results: BullQueue,
  { cluster, oldest, clear, refused }: LeftBehindDeps,
): Promise<LeftBehind> {
  // In this order, so that a step which is lost or ends meanwhile is among either; and once more, as waiting ones may be taken until they are cleared.
  const before = await steps.getActive(0, -1);
  await clear();
  const running = [...before, ...(await steps.getActive(0, -1))];
  const ended = [...(await results.getActive(0, -1)), ...(await results.getWaiting(0, -1))];
  return {
    steps: opened(running, (id, data) => StepJob.parse(cluster.open('job', id, data))),
    results: new Map(
      [...opened(ended, (id, data) => StepResult.parse(cluster.open('result', id, data)))].filter(
        ([, result]) => isAnswer(result) && result.outcome.at >= oldest,
      ),
    ),
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
