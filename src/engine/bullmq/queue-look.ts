import type { Clock } from '../../clock.ts';
import { EndedSteps } from './ended-steps.ts';
import { LostSteps, type LostStepsDeps } from './lost-steps.ts';
import { nothingQueued, type QueuedJobs, queuedIn } from './queued-jobs.ts';

/** What the queues are looked at with. */
export interface QueueLookDeps extends LostStepsDeps {
  readonly clock: Clock;
}

/** Looks at the queues from time to time: counts what stands there, takes out what has ended, and finds the steps that do not come back. */
export class QueueLook {
  readonly #deps: QueueLookDeps;
  readonly #lost: LostSteps;
  readonly #ended: EndedSteps;
  #queued: QueuedJobs = nothingQueued;

  constructor(deps: QueueLookDeps) {
    this.#deps = deps;
    this.#lost = new LostSteps(deps);
    this.#ended = new EndedSteps(deps.steps, deps.clock);
  }

  /** The steps in the queues, as they were found last. */
  get queued(): QueuedJobs {
    return this.#queued;
  }

  /** Takes out what an earlier life left, as `LostSteps` says. */
  clear(): Promise<void> {
    return this.#lost.clear();
  }

  /** Notes that a step has ended. */
  ended(id: string): void {
    this.#ended.add(id);
  }

  /**
   * Looks once. Rejects as the queues do.
   *
   * @param overdue - the steps whose turns are over.
   */
  async look(overdue: () => readonly string[]): Promise<void> {
    this.#queued = await queuedIn(this.#deps.steps, this.#deps.results);
    await this.#lost.look(overdue());
    await this.#ended.drop();
  }
}
