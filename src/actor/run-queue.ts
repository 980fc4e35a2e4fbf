import { Mailbox } from './mailbox.ts';

/** What a run queue runs. */
export interface Runnable {
  /** Runs `turn`, which makes steps, in the async context of this life; returns what it returns. */
  takeTurn(turn: (life: Runnable) => boolean): boolean;
  /** Handles one message; whether there is another that can be handled now. */
  step(): boolean;
}

/** How long, and how many messages, mailboxes may be worked on before waiting I/O has its turn. */
export const turnMs = 1;
const turnMessages = 1_000;
/** How many messages one life may handle before the next life has its turn. */
const turnMessagesOfOne = 100;
/** The clock is looked at every so many messages at most; more often while messages are slow. */
const longestStride = 16;
const slowLookMs = 0.1;

/** The lives with work to do, in the order they got it. A turn is what happens between two visits of the event loop. */
export class RunQueue {
  readonly #waiting = new Mailbox<Runnable>();
  #turn: 'none' | 'open' | 'spent' = 'none';
  #isDrainQueued = false;
  #handled = 0;
  #turnEndsAt = 0;
  #lookedAt = 0;
  #nextLook = 0;
  #stride = 1;

  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a life that is not in the queue. */
  add(life: Runnable): void {
    this.#waiting.push(life);
    if (this.#isDrainQueued || this.#turn === 'spent') return;
    this.#isDrainQueued = true;
    queueMicrotask(this.#drain);
  }

  readonly #drain = (): void => {
    this.#isDrainQueued = false;
    if (this.#turn === 'none') this.#open();
    while (this.#turn === 'open') {
      const life = this.#waiting.shift();
      if (life === undefined) return;
      if (life.takeTurn(this.#steps)) this.#waiting.push(life);
    }
  };

  /** Whether the life has more to do. */
  readonly #steps = (life: Runnable): boolean => {
    for (let handled = 0; handled < turnMessagesOfOne; handled += 1) {
      const hasMore = life.step();
      this.#handled += 1;
      if (this.#handled >= this.#nextLook) this.#look();
      if (!hasMore) return false;
      if (this.#turn === 'spent') return true;
    }
    return true;
  };

  #open(): void {
    this.#turn = 'open';
    this.#handled = 0;
    this.#stride = 1;
    this.#nextLook = 1;
    this.#lookedAt = performance.now();
    this.#turnEndsAt = this.#lookedAt + turnMs;
    setImmediate(this.#close);
  }

  readonly #close = (): void => {
    this.#turn = 'none';
    if (this.#waiting.size > 0) this.#drain();
  };

  #look(): void {
    const now = performance.now();
    if (now >= this.#turnEndsAt || this.#handled >= turnMessages) this.#turn = 'spent';
    this.#stride = now - this.#lookedAt < slowLookMs ? Math.min(this.#stride * 2, longestStride) : 1;
    this.#lookedAt = now;
    this.#nextLook = this.#handled + this.#stride;
  }
}
