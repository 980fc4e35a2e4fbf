/** One body's share of the budget. The caller that opened it must release it. */
export interface BodyHold {
  readonly bytes: number;
  /** Raises the share to `toBytes` if there is room at once. Returns whether there was. */
  take(toBytes: number): boolean;
  /**
   * Raises the share to `toBytes`, waiting for room in order of arrival. Resolves with `false` if the share was
   * released meanwhile.
   */
  raise(toBytes: number): Promise<boolean>;
  /** Lowers the share to `toBytes`. */
  lower(toBytes: number): void;
  /** Returns the whole share and ends a wait. A second call does nothing. */
  release(): void;
}

/** The size of a budget. */
export interface BodyBudgetOptions {
  /** Default 256 MiB. */
  readonly limitBytes?: number;
  /** Reserved for the body that has waited longest; at least as large as the largest body allowed. Default 32 MiB. */
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
 * Bounds the bytes of all bodies in flight. Bodies that grow together could fill the budget and wait for each other for
 * ever. Therefore a reserve is kept for one of them, the favoured body, which always gets to its end.
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

  /** Whether a further body may be requested. */
  hasRoom(): boolean {
    return this.#waiters.size === 0 && this.#usedBytes < this.#openBytes;
  }

  open(): BodyHold {
    const hold = new Hold(this);
    this.#open.add(hold);
    return hold;
  }

  /** Called only by the shares of this budget, like the three methods below. */
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
