/** A bound on what is under way at once; who waited longest goes first. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `run` in a slot. Rejects with the signal's reason if it fires while none is free. */
  async run<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#take(signal);
    try {
      return await run();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const taken = (): void => {
      this.#waiting.delete(taken);
      signal.removeEventListener('abort', gone);
      resolve();
    };
    const gone = (): void => {
      this.#waiting.delete(taken);
      reject(signal.reason);
    };
    this.#waiting.add(taken);
    signal.addEventListener('abort', gone, { once: true });
    await promise;
  }
}
