/** One body's share of a budget. Whoever opened it releases it. */
export interface BodyHold {
  readonly bytes: number;
  /** Charges up to `toBytes` in all if there is room at once, and says whether there was. */
  take(toBytes: number): boolean;
  /** Charges up to `toBytes` in all; waits for room, oldest first. `false` when the hold was released meanwhile. */
  raise(toBytes: number): Promise<boolean>;
  /** Gives back what is over `toBytes`. */
  lower(toBytes: number): void;
  /** Gives everything back and ends a wait; a second call does nothing. */
  release(): void;
}

/** What a budget is made of. */
export interface BodyBudgetOptions {
  /** Default 256 MiB. */
  readonly limitBytes?: number;
  /** Kept for the body that has waited longest; at least as large as the largest body allowed. Default 32 MiB. */
  readonly reserveBytes?: number;
  /** Called when there is room again after there was none. */
  readonly onRoom?: () => void;
}

interface Waiter {
  readonly toBytes: number;
  readonly settle: (granted: boolean) => void;
}

class Hold implements BodyHold {
  readonly #budget: BodyBudget;
  bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  take(toBytes: number): boolean {
    return this.#budget.take(this, toBytes);
  }

  raise(toBytes: number): Promise<boolean> {
    return this.#budget.raise(this, toBytes);
  }

  lower(toBytes: number): void {
    this.#budget.lower(this, toBytes);
  }

  release(): void {
    this.#budget.release(this);
  }
}

/**
 * Bounds the bytes of all bodies in flight. Bodies that grow together could fill it and wait for each other for ever;
 * so a reserve is kept out of reach of all but one, the favoured body, which therefore always gets to its end.
 */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly #openBytes: number;
  readonly #onRoom: () => void;
  readonly #open = new Set<Hold>();
  /** In order of arrival. */
  readonly #waiters = new Map<Hold, Waiter>();
  #favoured: Hold | undefined;
  #usedBytes = 0;
  #hadRoom = true;

  constructor({ limitBytes = 256 * 1024 * 1024, reserveBytes = 32 * 1024 * 1024, onRoom }: BodyBudgetOptions = {}) {
    this.#limitBytes = limitBytes;
    this.#openBytes = limitBytes - reserveBytes;
    this.#onRoom = onRoom ?? (() => undefined);
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether a new body may be asked for. */
  hasRoom(): boolean {
    return this.#waiters.size === 0 && this.#usedBytes < this.#openBytes;
  }

  open(): BodyHold {
    const hold = new Hold(this);
    this.#open.add(hold);
    return hold;
  }

  /** Called by the holds of this budget only, like the three below. */
  take(hold: Hold, toBytes: number): boolean {
    const isFirst = this.#waiters.size === 0 || hold === this.#favoured;
    if (!isFirst || !this.#open.has(hold) || !this.#fits(hold, toBytes)) return false;
    this.#charge(hold, toBytes);
    this.#noticeRoom();
    return true;
  }

  raise(hold: Hold, toBytes: number): Promise<boolean> {
    if (!this.#open.has(hold)) return Promise.resolve(false);
    if (this.take(hold, toBytes)) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiters.set(hold, { toBytes, settle: resolve });
    this.#serve();
    return promise;
  }

  lower(hold: Hold, toBytes: number): void {
    if (toBytes >= hold.bytes) return;
    this.#charge(hold, toBytes);
    this.#serve();
  }

  release(hold: Hold): void {
    if (!this.#open.delete(hold)) return;
    this.#waiters.get(hold)?.settle(false);
    this.#waiters.delete(hold);
    if (this.#favoured === hold) this.#favoured = undefined;
    this.#charge(hold, 0);
    this.#serve();
  }

  #fits(hold: Hold, toBytes: number): boolean {
    const limitBytes = hold === this.#favoured ? this.#limitBytes : this.#openBytes;
    return this.#usedBytes - hold.bytes + toBytes <= limitBytes;
  }

  #charge(hold: Hold, toBytes: number): void {
    this.#usedBytes += toBytes - hold.bytes;
    hold.bytes = toBytes;
  }

  #serve(): void {
    for (const [hold, { toBytes, settle }] of this.#waiters) {
      if (!this.#fits(hold, toBytes)) this.#favoured ??= hold;
      if (!this.#fits(hold, toBytes)) break;
      this.#waiters.delete(hold);
      this.#charge(hold, Math.max(toBytes, hold.bytes));
      settle(true);
    }
    this.#noticeRoom();
  }

  #noticeRoom(): void {
    const hasRoom = this.hasRoom();
    const isNews = hasRoom && !this.#hadRoom;
    this.#hadRoom = hasRoom;
    if (isNews) this.#onRoom();
  }
}
