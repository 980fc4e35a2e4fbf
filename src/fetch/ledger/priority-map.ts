interface Entry<K> {
  readonly key: K;
  priority: number;
  /** Orders entries of equal priority. */
  readonly arrival: number;
  /** Its index in the heap. */
  place: number;
}

/**
 * Keys by priority, the lowest first and equals in order of arrival. A binary heap that knows the place of each key: `set` and `delete`
 * are logarithmic.
 */
export class PriorityMap<K> {
  readonly #heap: Entry<K>[] = [];
  readonly #entries = new Map<K, Entry<K>>();
  #arrivals = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** The first key. */
  get first(): K | undefined {
    return this.#heap[0]?.key;
  }

  /** The first key's priority; `Infinity` when there is none. */
  get lowest(): number {
    return this.#heap[0]?.priority ?? Infinity;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  priorityOf(key: K): number | undefined {
    return this.#entries.get(key)?.priority;
  }

  /** Adds a key, or changes its priority; then it keeps its order of arrival. */
  set(key: K, priority: number): void {
    const known = this.#entries.get(key);
    if (known?.priority === priority) return;
    const entry = known ?? { key, priority, arrival: this.#arrivals, place: this.#heap.length };
    entry.priority = priority;
    if (!known) {
      this.#arrivals += 1;
      this.#entries.set(key, entry);
      this.#heap.push(entry);
    }
    this.#settle(entry);
  }

  /** Removes a key. Returns whether it was there. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#entries.delete(key);
    const last = this.#heap.pop();
    if (last && last !== entry) {
      this.#put(last, entry.place);
      this.#settle(last);
    }
    return true;
  }

  #settle(entry: Entry<K>): void {
    this.#rise(entry);
    this.#sink(entry);
  }

  #rise(entry: Entry<K>): void {
    for (;;) {
      const above = entry.place === 0 ? undefined : this.#heap[(entry.place - 1) >> 1];
      if (!above || !isBefore(entry, above)) return;
      this.#swap(entry, above);
    }
  }

  #sink(entry: Entry<K>): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1];
      const right = this.#heap[2 * entry.place + 2];
      const below = left && right && isBefore(right, left) ? right : left;
      if (!below || !isBefore(below, entry)) return;
      this.#swap(below, entry);
    }
  }

  #swap(a: Entry<K>, b: Entry<K>): void {
    const place = a.place;
    this.#put(a, b.place);
    this.#put(b, place);
  }

  #put(entry: Entry<K>, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
}

function isBefore<K>(a: Entry<K>, b: Entry<K>): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.arrival < b.arrival);
}
