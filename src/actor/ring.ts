/** An item that can be in one ring at a time. While it is in none, it is its own neighbour. */
export class RingItem {
  nextInRing: this = this;
  previousInRing: this = this;
}

/** Items in the order in which they were added. Adding and deleting have constant cost and allocate nothing; there is no look-up by key. */
export class Ring<T extends RingItem> {
  #first: T | undefined = undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  /** Adds an item that is in no ring, behind all others. */
  add(item: T): void {
    const first = (this.#first ??= item);
    this.#size += 1;
    if (first === item) return;
    item.nextInRing = first;
    item.previousInRing = first.previousInRing;
    first.previousInRing.nextInRing = item;
    first.previousInRing = item;
  }

  /** Takes an item out; returns whether it was in this ring. It must be in no other ring. */
  delete(item: T): boolean {
    const next = item.nextInRing;
    if (this.#first === item) this.#first = next === item ? undefined : next;
    else if (next === item) return false;
    this.#size -= 1;
    next.previousInRing = item.previousInRing;
    item.previousInRing.nextInRing = next;
    item.nextInRing = item;
    item.previousInRing = item;
    return true;
  }

  /** The items in order. The item yielded last may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let [item, left] = [this.#first, this.#size]; item !== undefined && left > 0; left -= 1) {
      const next: T = item.nextInRing;
      yield item;
      item = next;
    }
  }
}
