import { backoffMs } from '../fetch/ledger/backoff.ts';
import { closesAt, isAvailable, type OpenHours } from '../schedule/time/open-hours.ts';

/** The number of failures in a row, of any messages, after which the sink as a whole rests. */
const mostInRow = 8;

const dayMs = 86_400_000;

/** The longest `Retry-After` that is honoured. */
const longestAskedMs = dayMs;

/** When a sink as a whole sends nothing: while it fails, while its receiver asks for it, and in mute hours. All instants are wall time. */
export class Quiet {
  readonly #mute: readonly OpenHours[];
  readonly #retry: { readonly first: number; readonly longest: number };
  #inRow = 0;
  #restUntil = 0;

  constructor(mute: readonly OpenHours[] | undefined, retry: { readonly first: number; readonly longest: number }) {
    this.#mute = mute ?? [];
    this.#retry = retry;
  }

  /** The instant until which nothing is sent; `undefined` if it may be now. */
  until(now: number): number | undefined {
    const isMuted = this.#mute.length > 0 && isAvailable(this.#mute, now);
    // Hours that never end are looked at again in a day.
    const mutedUntil = isMuted ? (closesAt(this.#mute, now) ?? now + dayMs) : 0;
    const until = Math.max(this.#restUntil, mutedUntil);
    return until > now ? until : undefined;
  }

  /** Whether one message at a time is tried, until one is delivered. */
  get isProbing(): boolean {
    return this.#inRow >= mostInRow;
  }

  succeeded(): void {
    this.#inRow = 0;
  }

  failed({ retryAfterMs = 0 }: { readonly retryAfterMs?: number }, now: number, draw: number): void {
    this.#inRow += 1;
    const { first, longest } = this.#retry;
    const ownMs = this.isProbing ? backoffMs(this.#inRow - mostInRow + 1, { baseMs: first, maxMs: longest }, draw) : 0;
    const restMs = Math.max(ownMs, Math.min(retryAfterMs, longestAskedMs));
    if (restMs > 0) this.#restUntil = Math.max(this.#restUntil, now + restMs);
  }
}
