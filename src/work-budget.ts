/** The steps that reading on this thread may still take. In a typed array, since it changes at every turn of the inmost loops. */
const left = Float64Array.of(Infinity);

/** Thrown where reading would take more steps than its budget has left. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';

  constructor() {
    super('the page takes more work than its budget allows');
  }
}

/**
 * Counts work that is done now, or that was done since the last call. A step is the work of some 10 ns, at worst, on a quiet
 * machine. Throws `TooMuchWork` when the budget of this thread's reading is used up; without a budget there is no end to it.
 */
export function spend(steps: number): void {
  const rest = (left[0] ?? 0) - steps;
  left[0] = rest;
  if (rest < 0) throw new TooMuchWork();
}

/** Whether the work of this thread's reading is bounded now. */
export function isBounded(): boolean {
  return left[0] !== Infinity;
}

/** The work that the reading of one page may take. It bounds what happens within `run`, and nothing behind an `await`. */
export class WorkBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Runs a function that may take what is left. Throws `TooMuchWork` when that is used up, and what the function throws. */
  run<T>(read: () => T): T {
    left[0] = this.#steps;
    try {
      return read();
    } finally {
      this.#steps = left[0] ?? 0;
      left[0] = Infinity;
    }
  }
}
