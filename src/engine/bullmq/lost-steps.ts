import type { StepFailure } from '../step.ts';
import type { Cluster } from './cluster.ts';
import { eachInSlices } from './each-in-slices.ts';
import { StepJob, type StepResult, unopened } from './protocol.ts';
import { type BullQueue, checkMs, lockMs, type QueueServer } from './queue-server.ts';

/** Why a step was lost that the queue has put back. */
export const takenBack = 'it ended, or was cut off';

const dayMs = 86_400_000;

/** Lost steps that are read at a time. */
const mostLost = 1_000;

/** The worker process of a result that nobody but the daemon gives. */
export const nobody = '';

/** The failure of a step whose worker process was lost. */
export function lostFailure(why: string): StepFailure {
  return { code: 'worker_lost', message: `the worker process that ran it was lost: ${why}` };
}

/**
 * Has a queue of steps give up those whose worker process is lost, from now on.
 *
 * @param failed - told why it cannot.
 */
export function checkForLost(server: QueueServer, steps: string, failed: (error: unknown) => void): void {
  const checker = server.openWorker(steps, undefined, {
    autorun: false,
    lockDuration: lockMs,
    stalledInterval: checkMs,
    maxStalledCount: 0,
  });
  void checker.startStalledCheckTimer().catch(failed);
}

/** What lost steps are found with. */
export interface LostStepsDeps {
  readonly cluster: Cluster;
  readonly steps: BullQueue;
  readonly results: BullQueue;
  /** The server's time, in ms. */
  now(): number;
  /** Called for a step that was not sealed by this cluster; it is dropped. */
  refused(error: unknown): void;
  /** Whether a worker process says that it runs a step. */
  isRun(step: string): boolean;
  /** Called once for the steps that were found to be gone from the queues at one look, also those that run: their results still come. */
  vanished(steps: readonly string[]): void;
  /** Called for a step that is no longer in the queue, or has ended there, that has no result, and that no worker process runs. */
  missing(step: string): void;
  /** Called for a step that no worker process took before its turn was over; it is out of the queue. */
  untaken(step: string): void;
  /** Called for a step that a worker process could not open; it is out of the queue. */
  unopened(step: string): void;
}

/**
 * Finds the steps that do not come back. The failure of one whose worker process was lost is put among the results, where it stays until it is
 * acknowledged: so it is known also when the daemon dies.
 */
export class LostSteps {
  readonly #deps: LostStepsDeps;
  /** Steps that neither waited nor ran, and had no result, at the last look: a result may have come in between. */
  #missing: ReadonlySet<string> = new Set();
  /** The missing ones that are told. */
  #vanished: ReadonlySet<string> = new Set();

  constructor(deps: LostStepsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes out of the queue what an earlier life left there waiting, as the turns of these steps are of no use any more, or ended. Those that worker processes were lost with
   * are told.
   */
  async clear(): Promise<void> {
    const { steps } = this.#deps;
    // By the clock of a worker process, some may have ended in a while only.
    await steps.clean(-dayMs, 0, 'completed');
    await eachInSlices(await steps.getWaiting(0, -1), (job) =>
      job.processedOn === undefined ? steps.remove(job.id ?? '') : this.#tell(job, takenBack),
    );
    await this.#tellFailed();
  }

  /** @param overdue - the steps whose turns are over. */
  async look(overdue: readonly string[]): Promise<void> {
    await this.#tellFailed();
    const missing = new Set<string>();
    await eachInSlices(overdue, async (id) => {
      if (await this.#isMissing(id)) missing.add(id);
    });
    const before = this.#missing;
    this.#missing = missing;
    const vanished = [...missing].filter((id) => before.has(id));
    const untold = vanished.filter((id) => !this.#vanished.has(id));
    this.#vanished = new Set(vanished);
    if (untold.length > 0) this.#deps.vanished(untold);
    // The request of one that runs keeps its turn at its host until it is over.
    for (const id of vanished) if (!this.#deps.isRun(id)) this.#deps.missing(id);
  }

  async #tellFailed(): Promise<void> {
    for (let told = mostLost; told === mostLost;) {
      told = 0;
      const failed = await this.#deps.steps.getFailed(0, mostLost - 1);
      await eachInSlices(failed, async (job) => {
        const removed = await this.#tell(job, job.failedReason);
        told += removed;
      });
    }
  }

  /** Looks at a step, and settles it where its worker process is lost, or none took it. Resolves with whether it neither waits nor runs, and has no result. */
  async #isMissing(id: string): Promise<boolean> {
    const { steps, results, untaken } = this.#deps;
    const state = await steps.getJobState(id);
    // One that has ended without a result never comes back either: that was exchanged for what is dropped.
    if (state === 'unknown' || state === 'completed') return (await results.getJobState(id)) === 'unknown';
    // Most are run just now: only what waits is read.
    if (state !== 'waiting') return false;
    const job = await steps.getJob(id);
    // A worker process may have taken it since.
    if ((await steps.getJobState(id)) !== 'waiting') return false;
    // BullMQ puts a step back whose worker process is lost, and has it fail with the next one that takes it.
    if (job?.processedOn !== undefined) await this.#tell(job, takenBack);
    else if ((await steps.remove(id)) === 1) untaken(id);
    return false;
  }

  /** Puts the failure of a step among the results, and takes the step out of the queue. Resolves with the number of steps taken out. */
  async #tell({ id = '', data }: { readonly id?: string; readonly data: string }, why: string): Promise<number> {
    const { steps, results } = this.#deps;
    const sealed = this.#failureOf(id, data, why);
    if (sealed !== undefined && why === unopened) {
      const removed = await steps.remove(id);
      if (removed === 1) this.#deps.unopened(id);
      return removed;
    }
    if (sealed !== undefined) await results.add('result', sealed, { jobId: id, attempts: 1, removeOnComplete: true });
    return steps.remove(id);
  }

  #failureOf(id: string, data: string, why: string): string | undefined {
    const { cluster, now, refused } = this.#deps;
    try {
      const { key } = StepJob.parse(cluster.open('job', id, data));
      const outcome = { kind: 'failed', failure: lostFailure(why), at: now(), elapsedMs: 0, bytes: 0 } as const;
      // Whether it had sent the request cannot be known.
      const result: StepResult = { kind: 'ended', worker: nobody, key, wasSent: true, outcome };
      return cluster.seal('result', id, result);
    } catch (error) {
      refused(error);
      return undefined;
    }
  }
}
