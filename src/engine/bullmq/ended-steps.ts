import type { Clock } from '../../clock.ts';
import { eachInSlices } from './each-in-slices.ts';
import type { BullQueue } from './queue-server.ts';

/**
 * How long the queue knows a step that has ended, in ms: one that is added again, as its acknowledgement was lost, is not run again while it could
 * be sent.
 */
const knownMs = 15_000;

type Queue = Pick<BullQueue, 'remove' | 'getJobState'>;

/**
 * The steps that have ended, which their queue keeps for a while. BullMQ could drop them by their age, but reckons that by the clocks of the worker processes:
 * one that is fast would drop at once what others have ended.
 */
export class EndedSteps {
  readonly #queue: Queue;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When each was over, the oldest first. */
  readonly #ended = new Map<string, number>();

  constructor(queue: Queue, clock: Pick<Clock, 'monotonic'>) {
    this.#queue = queue;
    this.#clock = clock;
  }

  add(id: string): void {
    this.#ended.set(id, this.#clock.monotonic());
  }

  /** Takes those out of the queue that have been known for long enough. Rejects as the queue does; the rest is taken out the next time. */
  async drop(): Promise<void> {
    const before = this.#clock.monotonic() - knownMs;
    const known: string[] = [];
    for (const [id, at] of this.#ended) {
      if (at > before) break;
      known.push(id);
    }
    await eachInSlices(known, async (id) => {
      // Its worker process may not have told the queue yet that it is over.
      const isGone = (await this.#queue.remove(id)) === 1 || (await this.#queue.getJobState(id)) !== 'active';
      if (isGone) this.#ended.delete(id);
    });
  }
}
