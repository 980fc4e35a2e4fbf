import { isCount, refuseFlag } from './child-spec.ts';
import { Mailbox } from './mailbox.ts';

/**
 * Counts restarts against OTP's restart intensity: `intensity` restarts are allowed within `periodMs`. As in OTP, time is
 * counted in whole seconds: a restart counts for at least `periodMs` and for less than a second more. At most `intensity`
 * instants are remembered, as older ones cannot matter.
 */
export class RestartBudget {
  readonly #intensity: number;
  readonly #periodSeconds: number;
  readonly #spentAt = new Mailbox<number>();

  constructor(intensity: number, periodMs: number) {
    this.#intensity = intensity;
    this.#periodSeconds = periodMs / 1_000;
  }

  /** Counts one more restart at `now`, a monotonic instant; returns whether it is allowed. A refused one is not counted. */
  spend(now: number): boolean {
    const second = Math.floor(now / 1_000);
    while ((this.#spentAt.peek() ?? second) < second - this.#periodSeconds) this.#spentAt.shift();
    if (this.#spentAt.size >= this.#intensity) return false;
    this.#spentAt.push(second);
    return true;
  }
}

/** Throws an `ExitError` unless `intensity` is a whole number from 0 on and `periodMs` a whole number of seconds from 1 on. */
export function refuseBadIntensity(intensity: number, periodMs: number): void {
  if (!isCount(intensity)) refuseFlag('invalid_intensity', intensity);
  if (!(periodMs > 0 && isCount(periodMs / 1_000))) refuseFlag('invalid_period', periodMs);
}
