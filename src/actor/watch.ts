import type { ExitReason } from './types.ts';

/** Where watches are kept: on the life that is watched, the oldest first. */
export interface Watched {
  watches: Watch | undefined;
}

/**
 * Someone to be told of a life's end: a monitor, or a question that waits for its answer. The watches of a life form a
 * ring, so that each comes and goes at constant cost; one that is in no ring is its own neighbour.
 */
export class Watch {
  #watched: Watched | undefined;
  #next: Watch = this;
  #previous: Watch = this;
  readonly #ended: (reason: ExitReason) => void;

  constructor(ended: (reason: ExitReason) => void) {
    this.#ended = ended;
  }

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

  /** Whether it was set until now. */
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

  /** Clears the watch and tells of the end. */
  fire(reason: ExitReason): void {
    if (this.clear()) this.tell(reason);
  }

  /** Tells of the end of a life that was never there to be watched. */
  tell(reason: ExitReason): void {
    this.#ended(reason);
  }
}
