/** How much of one turn of the event loop the work may take before what else waits has its turn, in milliseconds. */
const shareMs = 1;

/**
 * Parts work among the turns of the event loop: what comes together, as pages do that arrive in one turn, begins piece by
 * piece, a little in each turn, so that nobody else waits for all of it.
 */
export class LoopShare {
  readonly #waiting: (() => void)[] = [];
  /** Whether a piece has begun that may not have done what it does at once. */
  #isBeginning = false;
  /** Whether a turn is measured. */
  #isTurn = false;
  #endsAt = 0;
  readonly #now: () => number;

  /** @param now - monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves when a piece of work may begin: in the order of the calls. */
  begin(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isBeginning) this.#next();
    return promise;
  }

  readonly #next = (): void => {
    this.#isBeginning = false;
    if (this.#waiting.length === 0 || !this.#mayBegin()) return;
    this.#isBeginning = true;
    this.#waiting.shift()?.();
    // A tick that a microtask asks for comes when all that the piece does at once is done.
    queueMicrotask(() => process.nextTick(this.#next));
  };

  #mayBegin(): boolean {
    const now = this.#now();
    if (!this.#isTurn) {
      this.#isTurn = true;
      this.#endsAt = now + shareMs;
      setImmediate(this.#endTurn);
    }
    return now < this.#endsAt;
  }

  readonly #endTurn = (): void => {
    this.#isTurn = false;
    if (!this.#isBeginning) this.#next();
  };
}
