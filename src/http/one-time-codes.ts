import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** How long a code is accepted, in milliseconds, and the most codes that are. */
const validMs = 120_000;
const mostCodes = 100;

/** The one-time codes by which a person who may use the control socket logs in. They are kept in memory, as digests. */
export class OneTimeCodes {
  readonly #clock: Clock;
  /** By digest, the oldest first: the monotonic instant from which on the code is not accepted. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a code of 256 random bits. Where there are too many, the oldest is not accepted any more. */
  make(): { readonly code: string; readonly expiresAt: number } {
    const code = randomBytes(32).toString('base64url');
    this.#until.set(digestOf(code), this.#clock.monotonic() + validMs);
    if (this.#until.size > mostCodes) this.#until.delete([...this.#until.keys()][0] ?? '');
    return { code, expiresAt: this.#clock.now() + validMs };
  }

  /** Returns whether a code is accepted, which it is once. */
  take(code: string): boolean {
    const digest = digestOf(code);
    const until = this.#until.get(digest);
    this.#until.delete(digest);
    return until !== undefined && this.#clock.monotonic() < until;
  }
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
