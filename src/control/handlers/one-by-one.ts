/** Has one thing done after the other, in the order in which they were asked for. */
export class OneByOne {
  readonly #mayWait: number;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** @param mayWait - how many wait at most while one is under way. */
  constructor(mayWait: number) {
    this.#mayWait = mayWait;
  }

  /**
   * Does it when its turn has come; nothing is done, and nothing returned, where as many wait as may. Throws the signal's reason
   * when that comes before its turn.
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
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(begin);
    });
  }
}
