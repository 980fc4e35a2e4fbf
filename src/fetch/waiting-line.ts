/**
 * Those who wait for one host, the lowest rank in front and equals in order of arrival. Kept last to first, so that the
 * front is taken without moving anybody: hosts are many and lines are short, and a long one is moved in one piece.
 */
export class WaitingLine<W> {
  readonly #backToFront: W[] = [];
  readonly #rankOf: (wish: W) => number;

  /** @param rankOf - what the line is ordered by; the same for one wish each time. */
  constructor(rankOf: (wish: W) => number) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#backToFront.length;
  }

  get first(): W | undefined {
    return this.#backToFront.at(-1);
  }

  add(wish: W): void {
    this.#backToFront.splice(this.#placeOf(this.#rankOf(wish)), 0, wish);
  }

  delete(wish: W): void {
    const place = this.#backToFront.lastIndexOf(wish);
    if (place === this.#backToFront.length - 1) this.#backToFront.pop();
    else if (place !== -1) this.#backToFront.splice(place, 1);
  }

  /** The first `count`. */
  front(count: number): W[] {
    return this.#backToFront.slice(-count).reverse();
  }

  /** Behind all that have at most this rank. */
  #placeOf(rank: number): number {
    let low = 0;
    let high = this.#backToFront.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#backToFront[middle];
      if (other !== undefined && this.#rankOf(other) > rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
