import { noSlot, TimerHeap, type TimerHolder } from './timer-heap.ts';

/** Tells the time and fires timers. Instants of `now` are wall time; timers go by monotonic time. */
export interface Clock {
  /** Wall time in milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /** Runs `run` once `monotonic()` has reached `monotonicMs`, never within this call; returns a timer for `cancel`. Throws on NaN. */
  at(monotonicMs: number, run: () => void): number;
  /** Sends `message` to `holder` once `monotonic()` has reached `monotonicMs`; otherwise as `at`. The timer belongs to `holder`. */
  sendAt(monotonicMs: number, holder: TimerHolder, message: unknown): number;
  /** Cancels a timer; returns whether it was still to fire. With `holder`, cancels it only if it belongs to `holder`. */
  cancel(timer: number, holder?: TimerHolder): boolean;
  /** Cancels the timers of `holder` that are still to fire. */
  cancelAll(holder: TimerHolder): void;
  /** How many timers of `holder` are still to fire. */
  countFor(holder: TimerHolder): number;
}

/** Has an `LRUCache` with a `ttl` go by a clock, to the millisecond. */
export function cacheTime(monotonic: () => number) {
  // The cache takes an instant of 0 for none.
  return { ttlResolution: 0, perf: { now: () => monotonic() + 1 } };
}

/** The smallest difference by which the wall clock counts as set, in milliseconds. Usual corrections are smaller. */
export const jumpMs = 2_000;

/** The longest delay that `setTimeout` takes; a later timer is waited for in several steps. */
const longestDelayMs = 2 ** 31 - 1;

/** A holder for a single timer that runs `run`. */
function holderOf(run: () => void): TimerHolder {
  return { lastTimer: noSlot, send: run };
}

/** The machine's clock. All its timers share one `setTimeout`, which keeps the process alive only while a timer is armed. */
export function systemClock(): Clock {
  const timers = new TimerHeap();
  let timeout: NodeJS.Timeout | undefined;
  let timeoutAt = 0;

  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    at: (monotonicMs, run) => sendAt(monotonicMs, holderOf(run), undefined),
    sendAt,
    cancel(timer, holder) {
      const wasArmed = timers.remove(timer, holder);
      if (timers.size === 0) timeout?.unref();
      return wasArmed;
    },
    cancelAll(holder) {
      timers.removeAll(holder);
      if (timers.size === 0) timeout?.unref();
    },
    countFor: (holder) => timers.countFor(holder),
  };

  function sendAt(monotonicMs: number, holder: TimerHolder, message: unknown): number {
    const timer = timers.add(monotonicMs, holder, message);
    arm();
    return timer;
  }

  /** Sets the time-out for the next timer. One that is set too early is kept: setting it again at its end is cheaper than at each change. */
  function arm(): void {
    const next = timers.next;
    if (next === undefined) return;
    if (timeout !== undefined && timeoutAt <= next) {
      timeout.ref();
      return;
    }
    clearTimeout(timeout);
    timeoutAt = next;
    timeout = setTimeout(fire, Math.min(Math.max(Math.ceil(next - performance.now()), 0), longestDelayMs));
  }

  function fire(): void {
    timeout = undefined;
    try {
      const now = performance.now();
      while ((timers.next ?? Infinity) <= now) timers.fireFirst();
    } finally {
      arm();
    }
  }
}

/** A clock for tests, which stands still until `advance` is called. */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #monotonic = 0;
  #wallOffset: number;

  /** @param startAt - wall time at monotonic 0. */
  constructor(startAt = 0) {
    this.#wallOffset = startAt;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Makes the wall clock jump to `at`; monotonic time and timers do not notice. */
  set wall(at: number) {
    this.#wallOffset = at - this.#monotonic;
  }

  at(monotonicMs: number, run: () => void): number {
    return this.sendAt(monotonicMs, holderOf(run), undefined);
  }

  sendAt(monotonicMs: number, holder: TimerHolder, message: unknown): number {
    return this.#timers.add(monotonicMs, holder, message);
  }

  cancel(timer: number, holder?: TimerHolder): boolean {
    return this.#timers.remove(timer, holder);
  }

  cancelAll(holder: TimerHolder): void {
    this.#timers.removeAll(holder);
  }

  countFor(holder: TimerHolder): number {
    return this.#timers.countFor(holder);
  }

  /** The instant of the next timer, or `undefined` when none is armed. */
  next(): number | undefined {
    const { next } = this.#timers;
    return next === undefined ? undefined : Math.max(next, this.#monotonic);
  }

  /** Lets `ms` pass and fires the timers that fall due, each at its own instant, including those armed meanwhile. Throws a `RangeError` unless `ms` is a finite number from 0 on. */
  advance(ms: number): void {
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`time passes by 0 ms or more, got ${ms}`);
    const until = this.#monotonic + ms;
    for (let next = this.next(); next !== undefined && next <= until; next = this.next()) {
      this.#monotonic = next;
      this.#timers.fireFirst();
    }
    this.#monotonic = Math.max(this.#monotonic, until);
  }
}
