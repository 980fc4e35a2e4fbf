/** The smallest of very many, at most so many, kept in order. */
export class Soonest<T> {
  readonly #limit: number;
  readonly #keys: number[] = [];
  readonly #items: T[] = [];
  #seen = 0;

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

  /** The key of the last one that is kept; infinite until there are as many as wanted. */
  get edge(): number {
    return this.isFull ? (this.#keys.at(-1) ?? Infinity) : Infinity;
  }

  /** How many were added. */
  get seen(): number {
    return this.#seen;
  }

  get items(): readonly T[] {
    return this.#items;
  }
}
