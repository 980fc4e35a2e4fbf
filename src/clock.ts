/** What time it is, and the only timer between requests. Instants of `now` are wall time, delays are monotonic. */
export interface Clock {
  /** Wall time in milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /** Runs `run` once `monotonic()` has reached `monotonicMs`, never within this call; returns a timer for `cancel`. */
  at(monotonicMs: number, run: () => void): number;
  /** Whether the timer was still to fire. */
  cancel(timer: number): boolean;
}

/** Timers are numbered `generation * maxSlots + slot`, so that a number kept past its firing names no other timer. */
const maxSlots = 2 ** 26;

/** The armed timers: a binary heap over typed arrays, by instant, and by order of arming where instants are equal. */
class TimerHeap {
  #size = 0;
  #armings = 0;
  /** The first of the slots that are free, chained through `#place`; -1 when all are taken. */
  #free = -1;
  #slots = 0;
  /** Slot numbers in heap order. */
  #heap = new Uint32Array(16);
  /** By slot: where it stands in the heap, when it is due, its place among equals, how often it was used, what to run. */
  #place = new Int32Array(16);
  #due = new Float64Array(16);
  #arming = new Float64Array(16);
  #generation = new Uint32Array(16);
  readonly #run: ((() => void) | undefined)[] = [];

  get size(): number {
    return this.#size;
  }

  /** The instant of the first timer, or `undefined` when none is armed. */
  get next(): number | undefined {
    return this.#size === 0 ? undefined : this.#due[this.#slotAt(0)];
  }

  add(due: number, run: () => void): number {
    const slot = this.#take();
    this.#due[slot] = due;
    this.#arming[slot] = this.#armings;
    this.#armings += 1;
    this.#run[slot] = run;
    this.#size += 1;
    this.#rise(this.#size - 1, slot);
    return (this.#generation[slot] ?? 0) * maxSlots + slot;
  }

  remove(timer: number): boolean {
    const slot = timer % maxSlots;
    if (slot >= this.#slots || this.#run[slot] === undefined) return false;
    if (this.#generation[slot] !== Math.floor(timer / maxSlots)) return false;
    this.#release(slot);
    return true;
  }

  /** Removes the first timer and returns what it is to run. Only called when there is one. */
  shift(): (() => void) | undefined {
    const slot = this.#slotAt(0);
    const run = this.#run[slot];
    this.#release(slot);
    return run;
  }

  #take(): number {
    if (this.#free !== -1) {
      const slot = this.#free;
      this.#free = this.#place[slot] ?? -1;
      return slot;
    }
    if (this.#slots === this.#heap.length) this.#grow();
    this.#slots += 1;
    return this.#slots - 1;
  }

  #release(slot: number): void {
    const at = this.#place[slot] ?? 0;
    this.#run[slot] = undefined;
    this.#generation[slot] = ((this.#generation[slot] ?? 0) + 1) % maxSlots;
    this.#size -= 1;
    const last = this.#slotAt(this.#size);
    if (last !== slot) {
      this.#sink(at, last);
      if (this.#place[last] === at) this.#rise(at, last);
    }
    this.#place[slot] = this.#free;
    this.#free = slot;
  }

  #rise(from: number, slot: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = this.#slotAt(above);
      if (!this.#isBefore(slot, other)) break;
      this.#put(at, other);
      at = above;
    }
    this.#put(at, slot);
  }

  #sink(from: number, slot: number): void {
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && this.#isBefore(this.#slotAt(below + 1), this.#slotAt(below))) below += 1;
      const other = this.#slotAt(below);
      if (!this.#isBefore(other, slot)) break;
      this.#put(at, other);
      at = below;
    }
    this.#put(at, slot);
  }

  #put(at: number, slot: number): void {
    this.#heap[at] = slot;
    this.#place[slot] = at;
  }

  #slotAt(at: number): number {
    return this.#heap[at] ?? 0;
  }

  #isBefore(a: number, b: number): boolean {
    const dueA = this.#due[a] ?? 0;
    const dueB = this.#due[b] ?? 0;
    return dueA < dueB || (dueA === dueB && (this.#arming[a] ?? 0) < (this.#arming[b] ?? 0));
  }

  #grow(): void {
    const slots = this.#heap.length * 2;
    this.#heap = grown(this.#heap, new Uint32Array(slots));
    this.#place = grown(this.#place, new Int32Array(slots));
    this.#due = grown(this.#due, new Float64Array(slots));
    this.#arming = grown(this.#arming, new Float64Array(slots));
    this.#generation = grown(this.#generation, new Uint32Array(slots));
  }
}

function grown<T extends { set(from: T): void }>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** The longest delay `setTimeout` knows; a timer beyond it is waited for in several turns. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's clock. All its timers share one `setTimeout`, which keeps the process alive only while a timer is armed. */
export function systemClock(): Clock {
  const timers = new TimerHeap();
  let timeout: NodeJS.Timeout | undefined;
  let timeoutAt = 0;

  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    at(monotonicMs, run) {
      const timer = timers.add(monotonicMs, run);
      arm();
      return timer;
    },
    cancel(timer) {
      const wasArmed = timers.remove(timer);
      if (wasArmed && timers.size === 0) timeout?.unref();
      return wasArmed;
    },
  };

  /** A time-out that comes too early is kept: re-arming at its end is cheaper than moving it at each change. */
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
      while ((timers.next ?? Infinity) <= now) timers.shift()?.();
    } finally {
      arm();
    }
  }
}

/** A clock that stands still until it is told to advance. */
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
    return this.#timers.add(monotonicMs, run);
  }

  cancel(timer: number): boolean {
    return this.#timers.remove(timer);
  }

  /** The instant of the next timer, or `undefined` when none is armed. */
  next(): number | undefined {
    return this.#timers.next;
  }

  /** Lets `ms` pass and fires the timers that fall due, each at its own instant, those armed meanwhile too. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    for (let next = this.next(); next !== undefined && next <= until; next = this.next()) {
      this.#monotonic = Math.max(this.#monotonic, next);
      this.#timers.shift()?.();
    }
    this.#monotonic = until;
  }
}
