import { Mailbox } from './mailbox.ts';

/**
 * How often restarts may be tried: `intensity` times within `periodMs`. As in OTP time is counted in whole seconds, so that
 * a restart counts for at least `periodMs` and for less than a second more. No more than `intensity` seconds are
 * remembered, as no older one can matter.
 */
export class RestartBudget {
  readonly #intensity: number;
  readonly #periodSeconds: number;
  readonly #spentAt = new Mailbox<number>();

  constructor(intensity: number, periodMs: number) {
    this.#intensity = intensity;
    this.#periodSeconds = periodMs / 1_000;
  }

  /** Whether one more restart may be tried at `now`, a monotonic instant; if so, it is counted. */
  spend(now: number): boolean {
    const second = Math.floor(now / 1_000);
    while ((this.#spentAt.peek() ?? second) < second - this.#periodSeconds) this.#spentAt.shift();
    if (this.#spentAt.size >= this.#intensity) return false;
    this.#spentAt.push(second);
    return true;
  }
}
