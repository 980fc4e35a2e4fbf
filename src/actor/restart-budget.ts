import { Mailbox } from './mailbox.ts';

/**
 * How often restarts may be tried: `intensity` times within any `periodMs`. It remembers no more than `intensity` instants,
 * as no older one can matter. (OTP counts in whole seconds, so that an entry of its window lives up to a second longer.)
 */
export class RestartBudget {
  readonly #intensity: number;
  readonly #periodMs: number;
  readonly #spentAt = new Mailbox<number>();

  constructor(intensity: number, periodMs: number) {
    this.#intensity = intensity;
    this.#periodMs = periodMs;
  }

  /** Whether one more restart may be tried at `now`, a monotonic instant; if so, it is counted. */
  spend(now: number): boolean {
    while ((this.#spentAt.peek() ?? now) < now - this.#periodMs) this.#spentAt.shift();
    if (this.#spentAt.size >= this.#intensity) return false;
    this.#spentAt.push(now);
    return true;
  }
}
