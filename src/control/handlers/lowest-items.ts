/** Keeps the added items with the lowest keys, up to a limit, in the order of their keys. Of equal keys, the item added first comes first. */
export class LowestItems<T> {
  readonly #limit: number;
  readonly #keys: number[] = [];
  readonly #items: T[] = [];
  #seen = 0;

  /** @param limit - how many items are kept at most. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(key: number, item: T): void {
    this.#seen += 1;
    if (this.isFull && key >= (this.#keys.at(-1) ?? Infinity)) return;
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? 0) <= key) low = middle + 1;
      else high = middle;
    }
    this.#keys.splice(low, 0, key);
    this.#items.splice(low, 0, item);
    if (this.#keys.length > this.#limit) [this.#keys.length, this.#items.length] = [this.#limit, this.#limit];
  }

  get isFull(): boolean {
    return this.#keys.length === this.#limit;
  }

  /** The highest key that is kept; infinite while fewer items than the limit are kept. */
  get edge(): number {
    return this.isFull ? (this.#keys.at(-1) ?? Infinity) : Infinity;
  }

  /** The number of items that were added, kept or not. */
  get seen(): number {
    return this.#seen;
  }

  get items(): readonly T[] {
    return this.#items;
  }
}
