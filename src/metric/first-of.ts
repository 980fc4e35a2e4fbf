/** An item of a heap, which is removed by this mark. */
export interface Removable {
  isRemoved: boolean;
}

/** A heap is rebuilt when its removed items are more than this number, and more than those that are left. */
const fewRemoved = 64;

/**
 * The first items of an order, while items are added and removed: a binary heap in which a removed item stays until it comes to the top,
 * or until most items are removed ones.
 */
export class FirstOf<T extends Removable> {
  readonly #compare: (one: T, other: T) => number;
  #heap: T[] = [];
  #removed = 0;

  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  add(item: T): void {
    this.#heap.push(item);
    this.#rise(this.#heap.length - 1);
  }

  /** Counts an item that was marked as removed. */
  noteRemoved(): void {
    this.#removed += 1;
    if (this.#removed < fewRemoved || 2 * this.#removed < this.#heap.length) return;
    this.#heap = this.#heap.filter(({ isRemoved }) => !isRemoved);
    this.#removed = 0;
    for (let place = this.#heap.length >> 1; place >= 0; place -= 1) this.#sink(place);
  }

  /** Returns up to `count` of the first items, in order. */
  first(count: number): T[] {
    const found: T[] = [];
    while (found.length < count) {
      const item = this.#take();
      if (item === undefined) break;
      if (item.isRemoved) this.#removed -= 1;
      else found.push(item);
    }
    for (const item of found) this.add(item);
    return found;
  }

  /** Takes the first item from the heap. */
  #take(): T | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #rise(from: number): void {
    for (let place = from; place > 0;) {
      const parent = (place - 1) >> 1;
      if (this.#order(parent, place) <= 0) return;
      this.#swap(parent, place);
      place = parent;
    }
  }

  #sink(from: number): void {
    for (let place = from; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      let least = place;
      if (this.#order(left, least) < 0) least = left;
      if (this.#order(right, least) < 0) least = right;
      if (least === place) return;
      this.#swap(least, place);
      place = least;
    }
  }

  /** Compares the items at two places; a place behind the last one is last. */
  #order(one: number, other: number): number {
    const [left, right] = [this.#heap[one], this.#heap[other]];
    return left === undefined || right === undefined ? Number(left === undefined) : this.#compare(left, right);
  }

  #swap(one: number, other: number): void {
    const [left, right] = [this.#heap[one], this.#heap[other]];
    if (left === undefined || right === undefined) return;
    this.#heap[one] = right;
    this.#heap[other] = left;
  }
}
