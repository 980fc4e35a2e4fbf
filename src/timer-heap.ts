/** An object that timers send their messages to, such as a life. */
export interface TimerHolder {
  /** Used by the clock only: the slot of the timer that was armed last; -1 while there is none. */
  lastTimer: number;
  send(message: unknown): void;
}

/** Timers are numbered `generation * maxSlots + slot`, so that a number kept past its firing names no other timer. */
const maxSlots = 2 ** 26;
/** Stands for no slot: no free one, or no timer of a holder. */
export const noSlot = -1;

/**
 * The armed timers: a heap in typed arrays, ordered by instant, and by order of arming where instants are equal. Each place
 * has four below it, so the heap is half as deep as a binary one. A timer takes 48 bytes.
 */
export class TimerHeap {
  #size = 0;
  #armings = 0;
  /** The first of the slots that are free, chained through `#place`. */
  #free = noSlot;
  #slots = 0;
  /** For each place in the heap: the slot of its timer, and when the timer is due. */
  #slot = new Uint32Array(16);
  #due = new Float64Array(16);
  /**
   * For each slot: its place in the heap, its order among timers due at once, how often it was used, and its neighbours
   * in the list of its holder.
   */
  #place = new Int32Array(16);
  #arming = new Uint32Array(16);
  #generation = new Uint32Array(16);
  #older = new Int32Array(16);
  #younger = new Int32Array(16);
  readonly #holder: (TimerHolder | undefined)[] = [];
  readonly #message: unknown[] = [];

  get size(): number {
    return this.#size;
  }

  /** The instant of the first timer, or `undefined` when none is armed. */
  get next(): number | undefined {
    return this.#size === 0 ? undefined : this.#due[0];
  }

  /** Arms a timer and returns its number. One that is due at `Infinity` never fires. Throws a `RangeError` on NaN, which has no place in the order. */
  add(due: number, holder: TimerHolder, message: unknown): number {
    if (Number.isNaN(due)) throw new RangeError('the instant of a timer must be a number, got NaN');
    const slot = this.#take();
    this.#arming[slot] = this.#armings;
    this.#armings = (this.#armings + 1) >>> 0;
    this.#holder[slot] = holder;
    this.#message[slot] = message;
    this.#older[slot] = holder.lastTimer;
    this.#younger[slot] = noSlot;
    if (holder.lastTimer !== noSlot) this.#younger[holder.lastTimer] = slot;
    holder.lastTimer = slot;
    this.#size += 1;
    this.#rise(this.#size - 1, due, slot);
    return (this.#generation[slot] ?? 0) * maxSlots + slot;
  }

  /** Disarms a timer; returns whether it was armed and, if `only` is given, belonged to `only`. */
  remove(timer: number, only?: TimerHolder): boolean {
    const slot = timer % maxSlots;
    const holder = this.#holder[slot];
    if (holder === undefined || (only !== undefined && only !== holder)) return false;
    if (this.#generation[slot] !== Math.floor(timer / maxSlots)) return false;
    this.#release(slot, holder);
    return true;
  }

  removeAll(holder: TimerHolder): void {
    while (holder.lastTimer !== noSlot) this.#release(holder.lastTimer, holder);
  }

  countFor(holder: TimerHolder): number {
    let count = 0;
    for (let slot = holder.lastTimer; slot !== noSlot; slot = this.#older[slot] ?? noSlot) count += 1;
    return count;
  }

  /** Removes the first timer, then fires it. */
  fireFirst(): void {
    const slot = this.#slot[0] ?? 0;
    const [holder, message] = [this.#holder[slot], this.#message[slot]];
    if (holder === undefined) return;
    this.#release(slot, holder);
    holder.send(message);
  }

  #take(): number {
    if (this.#free !== noSlot) {
      const slot = this.#free;
      this.#free = this.#place[slot] ?? noSlot;
      return slot;
    }
    if (this.#slots === this.#slot.length) this.#grow();
    this.#slots += 1;
    return this.#slots - 1;
  }

  #release(slot: number, holder: TimerHolder): void {
    this.#letGo(slot, holder);
    this.#generation[slot] = ((this.#generation[slot] ?? 0) + 1) % maxSlots;
    const place = this.#place[slot] ?? 0;
    this.#size -= 1;
    if (place !== this.#size) this.#settle(place, this.#due[this.#size] ?? 0, this.#slot[this.#size] ?? 0);
    this.#place[slot] = this.#free;
    this.#free = slot;
  }

  /** Takes a slot out of its holder's chain. */
  #letGo(slot: number, holder: TimerHolder): void {
    const [older, younger] = [this.#older[slot] ?? noSlot, this.#younger[slot] ?? noSlot];
    if (older !== noSlot) this.#younger[older] = younger;
    if (younger !== noSlot) this.#older[younger] = older;
    else holder.lastTimer = older;
    this.#holder[slot] = undefined;
    this.#message[slot] = undefined;
  }

  /** Fills a place that became free in the middle of the heap. */
  #settle(place: number, due: number, slot: number): void {
    if (place > 0 && this.#isBefore(due, slot, (place - 1) >> 2)) this.#rise(place, due, slot);
    else this.#sink(place, due, slot);
  }

  #rise(from: number, due: number, slot: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 2;
      if (!this.#isBefore(due, slot, above)) break;
      this.#put(at, this.#due[above] ?? 0, this.#slot[above] ?? 0);
      at = above;
    }
    this.#put(at, due, slot);
  }

  #sink(from: number, due: number, slot: number): void {
    let at = from;
    for (let below = this.#firstBelow(at); below < this.#size; below = this.#firstBelow(at)) {
      if (this.#isBefore(due, slot, below)) break;
      this.#put(at, this.#due[below] ?? 0, this.#slot[below] ?? 0);
      at = below;
    }
    this.#put(at, due, slot);
  }

  /** The place of the first to fire of the four below; beyond the heap when there is none. */
  #firstBelow(at: number): number {
    let first = 4 * at + 1;
    const end = Math.min(first + 4, this.#size);
    for (let below = first + 1; below < end; below += 1) {
      if (this.#isBefore(this.#due[below] ?? 0, this.#slot[below] ?? 0, first)) first = below;
    }
    return first;
  }

  #put(place: number, due: number, slot: number): void {
    this.#due[place] = due;
    this.#slot[place] = slot;
    this.#place[slot] = place;
  }

  /** Whether a timer fires before the one at `place`. The count of armings may wrap around. */
  #isBefore(due: number, slot: number, place: number): boolean {
    const other = this.#due[place] ?? 0;
    if (due !== other) return due < other;
    return (((this.#arming[slot] ?? 0) - (this.#arming[this.#slot[place] ?? 0] ?? 0)) | 0) < 0;
  }

  #grow(): void {
    const slots = this.#slot.length * 2;
    this.#slot = grown(this.#slot, new Uint32Array(slots));
    this.#due = grown(this.#due, new Float64Array(slots));
    this.#place = grown(this.#place, new Int32Array(slots));
    this.#arming = grown(this.#arming, new Uint32Array(slots));
    this.#generation = grown(this.#generation, new Uint32Array(slots));
    this.#older = grown(this.#older, new Int32Array(slots));
    this.#younger = grown(this.#younger, new Int32Array(slots));
  }
}

function grown<T extends { set(from: T): void }>(from: T, into: T): T {
  into.set(from);
  return into;
}
