import type { Clock } from '../clock.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { Within } from './ask.ts';

/** A bound on the time that steps take together. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #leftMs: number;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  /**
   * Has a step end when the limit is reached, or at an instant of wall time, or when the signal fires, whatever it does:
   * what it still computes afterwards goes nowhere.
   */
  until(endsBy: number): Within {
    return async (run, signal) => {
      const clock = this.#clock;
      const startedAt = clock.monotonic();
      const controller = new AbortController();
      const { promise: ended, resolve, reject } = Promise.withResolvers<StepOutcome>();
      const timer = clock.at(startedAt + Math.min(this.#leftMs, Math.max(0, endsBy - clock.now())), () => {
        resolve(this.#expired(startedAt));
        controller.abort();
      });
      const cut = (): void => {
        reject(signal.reason);
        controller.abort(signal.reason);
      };
      signal.addEventListener('abort', cut);
      try {
        return await Promise.race([run(controller.signal), ended]);
      } finally {
        // The signal outlives the scrape, so that a listener that stayed would hold it in memory.
        signal.removeEventListener('abort', cut);
        clock.cancel(timer);
        this.#leftMs -= clock.monotonic() - startedAt;
      }
    };
  }

  #expired(startedAt: number): StepOutcome {
    const elapsedMs = this.#clock.monotonic() - startedAt;
    const message =
      elapsedMs >= this.#leftMs
        ? `the page took longer than its limit of ${this.#limitMs} ms`
        : 'the target is due again, so that this try of it ends';
    return { kind: 'failed', failure: { code: 'time_limit', message }, at: this.#clock.now(), elapsedMs, bytes: 0 };
  }
}
