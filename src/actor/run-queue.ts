import { Mailbox } from './mailbox.ts';

/** A life as the run queue sees it. */
export interface Runnable {
  /** Calls `turn`, which calls `step` repeatedly, in the async context of this life; returns its result. */
  takeTurn(turn: (life: Runnable) => boolean): boolean;
  /** Handles one message; returns whether another one can be handled now. */
  step(): boolean;
}

/**
 * How many milliseconds, and how many messages, lives may take before waiting I/O has its turn. What messages set off in
 * promises comes on top, which may be several times as much.
 */
export const turnMs = 0.5;
const turnMessages = 1_000;
/** How many messages one life may handle before the next life has its turn. */
const turnMessagesOfOne = 100;
/**
 * The clock is read after the last message of each life, as the next one's may be slow however quick these were, and before
 * after 1, 2, 4 … up to this many messages; after each one while messages take longer than `slowLookMs`.
 */
const longestStride = 16;
const slowLookMs = 0.1;

/** The lives with work to do: those of high priority first, and each kind in the order in which it got its work. A turn of the queue lasts from one visit of the event loop to the next. */
export class RunQueue {
  readonly #waiting = new Mailbox<Runnable>();
  readonly #waitingHigh = new Mailbox<Runnable>();
  /** Apart from the lives, since most have no priority and there may be a million. */
  readonly #high = new WeakSet<Runnable>();
  #turn: 'none' | 'open' | 'spent' = 'none';
  #isDrainQueued = false;
  #handled = 0;
  #turnEndsAt = 0;
  #lookedAt = 0;

  get size(): number {
    return this.#waiting.size + this.#waitingHigh.size;
  }

  /** Gives a life its turns before all others from the next message on. */
  prioritise(life: Runnable): void {
    this.#high.add(life);
  }

  /** Adds a life that is not in the queue. */
  add(life: Runnable): void {
    this.#push(life);
    if (this.#isDrainQueued || this.#turn === 'spent') return;
    this.#isDrainQueued = true;
    queueMicrotask(this.#drain);
  }

  readonly #drain = (): void => {
    this.#isDrainQueued = false;
    if (this.#turn === 'none') this.#open();
    while (this.#turn === 'open') {
      const life = this.#waitingHigh.shift() ?? this.#waiting.shift();
      if (life === undefined) return;
      if (life.takeTurn(this.#steps)) this.#push(life);
    }
  };

  #push(life: Runnable): void {
    (this.#high.has(life) ? this.#waitingHigh : this.#waiting).push(life);
  }

  /** Handles messages of one life; returns whether it has more to do. */
  readonly #steps = (life: Runnable): boolean => {
    let stride = 1;
    let nextLook = 1;
    for (let handled = 1; handled <= turnMessagesOfOne; handled += 1) {
      const hasMore = life.step();
      this.#handled += 1;
      if (!hasMore || handled === nextLook || handled === turnMessagesOfOne) {
        stride = this.#look() ? Math.min(stride * 2, longestStride) : 1;
        nextLook = handled + stride;
      }
      if (!hasMore) return false;
      if (this.#turn === 'spent') return true;
    }
    return true;
  };

  #open(): void {
    this.#turn = 'open';
    this.#handled = 0;
    this.#lookedAt = performance.now();
    this.#turnEndsAt = this.#lookedAt + turnMs;
    setImmediate(this.#close);
  }

  readonly #close = (): void => {
    this.#turn = 'none';
    if (this.size > 0) this.#drain();
  };

  /** Ends the turn if it is over; returns whether the messages since the last look were quick. */
  #look(): boolean {
    const now = performance.now();
    if (now >= this.#turnEndsAt || this.#handled >= turnMessages) this.#turn = 'spent';
    const isQuick = now - this.#lookedAt < slowLookMs;
    this.#lookedAt = now;
    return isQuick;
  }
}
