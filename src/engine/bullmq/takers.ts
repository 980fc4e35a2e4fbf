import type { BullWorker } from './queue-server.ts';

/** Workers of BullMQ that take jobs from one queue, with a number of slots in all that may change. */
export class Takers {
  readonly #open: (slots: number) => BullWorker;
  readonly #failed: (error: unknown) => void;
  readonly #all: BullWorker[] = [];
  /** The ends of the workers whose slots are no longer wanted, which wait for their jobs. */
  readonly #leaving = new Set<Promise<void>>();

  /**
   * @param open - opens one with so many slots.
   * @param failed - told why one with slots that are no longer wanted could not be closed.
   */
  constructor(slots: number, open: (slots: number) => BullWorker, failed: (error: unknown) => void) {
    this.#open = open;
    this.#failed = failed;
    this.#all.push(open(slots));
  }

  /** Has so many jobs run at a time. Jobs that run go on, also where they are more. */
  resize(slots: number): void {
    const more = slots - this.#all.reduce((sum, { concurrency }) => sum + concurrency, 0);
    // BullMQ looks at a larger number only when a job ends: further slots get a worker of their own.
    if (more > 0) this.#all.push(this.#open(more));
    for (let fewer = -more; fewer > 0;) fewer -= this.#drop(fewer);
  }

  /** Takes no further job; resolves when none can be taken any more. */
  async pause(): Promise<void> {
    await Promise.all(this.#all.map((taker) => taker.pause(true)));
  }

  /** Takes no further job; resolves when those that run have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.#all.map((taker) => taker.close()), ...this.#leaving]);
  }

  /** Drops so many slots, or all of the newest worker. Returns their number. */
  #drop(slots: number): number {
    const newest = this.#all.at(-1);
    if (newest === undefined) return slots;
    const { concurrency } = newest;
    if (slots < concurrency) {
      newest.concurrency = concurrency - slots;
      return slots;
    }
    this.#all.pop();
    const left = newest
      .close()
      .catch(this.#failed)
      .then(() => void this.#leaving.delete(left));
    this.#leaving.add(left);
    return concurrency;
  }
}
