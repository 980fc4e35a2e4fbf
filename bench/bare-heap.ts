/**
 * The least that can hold timers which may be moved: a binary heap in typed arrays, by instant, of timers that are numbered from
 * 0 on by who arms them. No order among equals, no owner, no message, and numbers that may name another timer later.
 */
export class BareHeap {
  size = 0;
  #timer = new Uint32Array(16);
  #due = new Float64Array(16);
  #place = new Int32Array(16);

  add(timer: number, due: number): void {
    if (this.size === this.#timer.length) this.#grow();
    this.size += 1;
    this.#rise(this.size - 1, timer, due);
  }

  move(timer: number, due: number): void {
    const place = this.#place[timer] ?? 0;
    if (due < (this.#due[place] ?? 0)) this.#rise(place, timer, due);
    else this.#sink(place, timer, due);
  }

  /** Removes the first and says which it was. */
  take(): number {
    const first = this.#timer[0] ?? 0;
    this.size -= 1;
    if (this.size > 0) this.#sink(0, this.#timer[this.size] ?? 0, this.#due[this.size] ?? 0);
    return first;
  }

  #rise(from: number, timer: number, due: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((this.#due[above] ?? 0) <= due) break;
      this.#put(at, this.#timer[above] ?? 0, this.#due[above] ?? 0);
      at = above;
    }
    this.#put(at, timer, due);
  }

  #sink(from: number, timer: number, due: number): void {
    let at = from;
    for (let below = 2 * at + 1; below < this.size; below = 2 * at + 1) {
      if (below + 1 < this.size && (this.#due[below + 1] ?? 0) < (this.#due[below] ?? 0)) below += 1;
      if (due <= (this.#due[below] ?? 0)) break;
      this.#put(at, this.#timer[below] ?? 0, this.#due[below] ?? 0);
      at = below;
    }
    this.#put(at, timer, due);
  }

  #put(place: number, timer: number, due: number): void {
    this.#timer[place] = timer;
    this.#due[place] = due;
    this.#place[timer] = place;
  }

  #grow(): void {
    const [timer, due, place] = [this.#timer, this.#due, this.#place];
    this.#timer = new Uint32Array(timer.length * 2);
    this.#due = new Float64Array(timer.length * 2);
    this.#place = new Int32Array(timer.length * 2);
    this.#timer.set(timer);
    this.#due.set(due);
    this.#place.set(place);
  }
}
