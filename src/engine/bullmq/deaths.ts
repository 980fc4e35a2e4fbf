import type { Clock } from '../../clock.ts';

/** With so many worker processes lost, a step is under suspicion. */
const suspicious = 2;

/** A death is forgotten after so long, in ms. */
const rememberedMs = 24 * 3_600_000;

/** Counts the worker processes that were lost with each step, by the step's key. */
export class Deaths {
  readonly #clock: Clock;
  readonly #deaths = new Map<string, { readonly times: number; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A worker process was lost with a step. */
  count(key: string): void {
    const now = this.#clock.monotonic();
    for (const [each, { at }] of this.#deaths) {
      if (now - at < rememberedMs) break;
      this.#deaths.delete(each);
    }
    const { times = 0 } = this.#deaths.get(key) ?? {};
    // The newest stands last.
    this.#deaths.delete(key);
    this.#deaths.set(key, { times: times + 1, at: now });
  }

  /** A step came to its end. */
  clear(key: string): void {
    this.#deaths.delete(key);
  }

  /** Whether a step may have been what ended worker processes: it is to run alone. */
  isSuspicious(key: string): boolean {
    return (this.#deaths.get(key)?.times ?? 0) >= suspicious;
  }
}
