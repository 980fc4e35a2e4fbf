import type { ExitReason } from './types.ts';

/** A life as its watches see it: the first of them, which is the oldest. */
export interface Watched {
  watches: Watch | undefined;
}

/**
 * Calls a function when a life ends: for a monitor, or for a question that waits for its answer. The watches of a life form
 * a ring, so that adding and removing one has constant cost. A watch in no ring is its own neighbour.
 */
export class Watch {
  #watched: Watched | undefined;
  #next: Watch = this;
  #previous: Watch = this;
  readonly #ended: ((reason: ExitReason) => void) | undefined;

  /** @param ended - without it, a subclass overrides `tell`. */
  constructor(ended?: (reason: ExitReason) => void) {
    this.#ended = ended;
  }

  /** Begins to watch a life that has not ended. */
  set(watched: Watched): void {
    const first = watched.watches;
    this.#watched = watched;
    if (first === undefined) {
      watched.watches = this;
      return;
    }
    this.#next = first;
    this.#previous = first.#previous;
    first.#previous.#next = this;
    first.#previous = this;
  }

  /** Stops watching; returns whether the watch was set until now. */
  clear(): boolean {
    const watched = this.#watched;
    if (watched === undefined) return false;
    this.#watched = undefined;
    if (watched.watches === this) watched.watches = this.#next === this ? undefined : this.#next;
    this.#next.#previous = this.#previous;
    this.#previous.#next = this.#next;
    this.#next = this;
    this.#previous = this;
    return true;
  }

  /** Clears the watch and calls its function. */
  fire(reason: ExitReason): void {
    if (this.clear()) this.tell(reason);
  }

  /** Calls the function for a life that was not there to be watched. */
  tell(reason: ExitReason): void {
    this.#ended?.(reason);
  }
}
