import { eachInSlices } from './each-in-slices.ts';
import { allWorkers, type Order } from './protocol.ts';
import type { BullQueue } from './queue-server.ts';

/** How often worker processes are told all the cancelled steps that may still run, in ms: an order may be lost on its way. */
export const repeatedEveryMs = 2_000;

/** Steps that one order names: a message has a largest size. */
const mostTold = 1_000;

/** What steps are cancelled with. */
export interface CancelsDeps {
  readonly steps: Pick<BullQueue, 'getJob' | 'getJobState' | 'remove'>;
  /** Tells a worker process, or all. */
  tell(worker: string, order: Order): Promise<void>;
  /** The worker processes that may run a step. */
  thatMayRun(step: string): readonly string[];
  /** Called for a step that was taken out of the queue, with whether a worker process had had it. */
  takenBack(step: string, wasTaken: boolean): void;
}

/** Cancels steps: one that waits is taken out of the queue, one that runs is ended by its worker process, whose result is waited for. */
export class Cancels {
  readonly #deps: CancelsDeps;

  constructor(deps: CancelsDeps) {
    this.#deps = deps;
  }

  async cancel(step: string): Promise<void> {
    if (!(await this.#mayRun(step))) return;
    for (const worker of this.#deps.thatMayRun(step)) await this.#deps.tell(worker, { type: 'cancel', steps: [step] });
  }

  /** Does so again with all that were cancelled and have not ended: each worker process compares them with its own. */
  async repeat(steps: readonly string[]): Promise<void> {
    const running: string[] = [];
    await eachInSlices(steps, async (step) => {
      if (await this.#mayRun(step)) running.push(step);
    });
    for (let first = 0; first < running.length; first += mostTold)
      await this.#deps.tell(allWorkers, { type: 'cancel', steps: running.slice(first, first + mostTold) });
  }

  /** Takes a step out of the queue unless it has ended or runs. Resolves with whether it may run. */
  async #mayRun(step: string): Promise<boolean> {
    const { steps, takenBack } = this.#deps;
    const state = await steps.getJobState(step);
    if (state === 'completed') return false;
    const wasTaken = state === 'active' || (await steps.getJob(step))?.processedOn !== undefined;
    if ((await steps.remove(step)) !== 1) return true;
    takenBack(step, wasTaken);
    return false;
  }
}
