/** A request for a slot that waits until one is free for its holder. */
interface Waiting {
  readonly holder: string;
  grant(): void;
}

/**
 * A bound on what is under way at once, which several holders share. Each may take a slot only while it holds fewer than are free, so
 * that one whose work hangs leaves some to the others: of 8 slots a holder has 4 at most, the next one 2. Who waited longest goes
 * first, of those that may.
 */
export class Slots {
  #free: number;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `run` in a slot of a holder. Rejects with the signal's reason if it fires while none is free for it. */
  async run<T>(holder: string, run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#mayTake(holder)) this.#take(holder);
    else await this.#wait(holder, signal);
    try {
      return await run();
    } finally {
      this.#giveBack(holder);
    }
  }

  #mayTake(holder: string): boolean {
    return (this.#held.get(holder) ?? 0) < this.#free;
  }

  #take(holder: string): void {
    this.#free -= 1;
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
  }

  #giveBack(holder: string): void {
    this.#free += 1;
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    for (const waiting of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#mayTake(waiting.holder)) continue;
      this.#take(waiting.holder);
      waiting.grant();
    }
  }

  async #wait(holder: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', abort);
    };
    const abort = (): void => {
      leave();
      reject(signal.reason);
    };
    const waiting: Waiting = {
      holder,
      grant() {
        leave();
        resolve();
      },
    };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', abort, { once: true });
    await promise;
  }
}
