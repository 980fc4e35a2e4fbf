/** Runs one piece of work at a time, in the order of the calls. */
export class OneByOne {
  readonly #mayWait: number;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** @param mayWait - how many wait at most while one is under way. */
  constructor(mayWait: number) {
    this.#mayWait = mayWait;
  }

  /**
   * Runs `work` when all that was called before has ended. Returns `undefined` without running it where `mayWait` calls wait already. Rejects
   * with the signal's reason if the signal aborts before the turn, and with what `work` rejects with.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    if (this.#isBusy && this.#waiting.length >= this.#mayWait) return undefined;
    if (this.#isBusy) await this.#turn(signal);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Who is next has the turn from now on, so that nobody comes between.
      if (next === undefined) this.#isBusy = false;
      else next();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(begin);
    });
  }
}
