/** The part of an exchange that has a time limit of its own. */
export type Stage = 'connect' | 'headers' | 'body';

/** Called once, when a limit has passed. */
export type Expired = (stage: Stage | 'total', afterMs: number) => void;

/**
 * Watches the time limits of one exchange with one timer. Almost every stage ends long before its limit, so the timer
 * stays as it is when a limit moves away, and checks again when it fires.
 */
export class ExchangeTimer {
  readonly #expired: Expired;
  readonly #totalMs: number;
  readonly #totalEndsAt: number;
  #stage: Stage = 'connect';
  #stageMs = 0;
  #stageEndsAt = Infinity;
  #firesAt = Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: number, totalMs: number, expired: Expired) {
    this.#expired = expired;
    this.#totalMs = totalMs;
    this.#totalEndsAt = now + totalMs;
  }

  enter(stage: Stage, ms: number, now = performance.now()): void {
    this.#stage = stage;
    this.#stageMs = ms;
    this.#stageEndsAt = now + ms;
    this.#armFor(Math.min(this.#stageEndsAt, this.#totalEndsAt), now);
  }

  /** Restarts the limit of the stage. */
  renew(): void {
    this.#stageEndsAt = performance.now() + this.#stageMs;
  }

  /** Drops the limit of the stage; that of the whole exchange stays. */
  rest(): void {
    this.#stageEndsAt = Infinity;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #armFor(at: number, now: number): void {
    if (at >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(() => this.#look(), Math.ceil(at - now));
  }

  #look(): void {
    const now = performance.now();
    const endsAt = Math.min(this.#stageEndsAt, this.#totalEndsAt);
    if (now < endsAt) {
      this.#firesAt = Infinity;
      return this.#armFor(endsAt, now);
    }
    // A busy process may look when both have passed: the limit that ended first is what the exchange broke.
    if (this.#stageEndsAt < this.#totalEndsAt) return this.#expired(this.#stage, this.#stageMs);
    return this.#expired('total', this.#totalMs);
  }
}
