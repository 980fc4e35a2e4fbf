/**
 * A queue with the lowest rank in front and equal ranks in order of arrival: a binary heap in three lists, which costs 24 bytes an item.
 * `add` and taking the front are logarithmic, `delete` of another item and `before` look at each item once. Where items move often, a
 * `PriorityMap` finds them at once, for several times the memory.
 */
export class RankedQueue<W> {
  readonly #items: W[] = [];
  readonly #ranks: number[] = [];
  /** Numbers in order of arrival, which order equal ranks. */
  readonly #arrivals: number[] = [];
  readonly #rankOf: (item: W) => number;
  #arrived = 0;

  /** @param rankOf - the rank of an item; must not change while the item is in the queue. */
  constructor(rankOf: (item: W) => number) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): W | undefined {
    return this.#items[0];
  }

  add(item: W): void {
    this.#arrived += 1;
    this.#items.push(item);
    this.#ranks.push(this.#rankOf(item));
    this.#arrivals.push(this.#arrived);
    this.#rise(this.size - 1);
  }

  /** Removes an item; does nothing for one that is not in the queue. */
  delete(item: W): void {
    const place = this.#items.indexOf(item);
    if (place === -1) return;
    const last = this.size - 1;
    this.#swap(place, last);
    this.#items.pop();
    this.#ranks.pop();
    this.#arrivals.pop();
    if (place === last) return;
    this.#rise(place);
    this.#sink(place);
  }

  /** The first `count` items. */
  front(count: number): W[] {
    // The items that may be next: the children of those that were taken.
    const open = this.size > 0 ? [0] : [];
    const front: W[] = [];
    while (front.length < count && open.length > 0) {
      let best = 0;
      for (let each = 1; each < open.length; each += 1) if (this.#isBefore(open[each], open[best])) best = each;
      const [place = 0] = open.splice(best, 1);
      const item = this.#items[place];
      if (item !== undefined) front.push(item);
      for (const child of [2 * place + 1, 2 * place + 2]) if (child < this.size) open.push(child);
    }
    return front;
  }

  /** Puts what `change` makes of each item into its place. The rank must stay. */
  renew(change: (item: W) => W): void {
    for (const [place, item] of this.#items.entries()) this.#items[place] = change(item);
  }

  /** The number of items before an item, which may be in the queue or come from another one. */
  before(item: W): number {
    const place = this.#items.indexOf(item);
    const rank = this.#rankOf(item);
    const arrival = this.#arrivals[place] ?? -Infinity;
    return this.#ranks.reduce((sum, other, at) => {
      const isBefore = other < rank || (other === rank && (this.#arrivals[at] ?? 0) < arrival);
      return isBefore ? sum + 1 : sum;
    }, 0);
  }

  #rise(from: number): void {
    for (let place = from; place > 0;) {
      const above = (place - 1) >> 1;
      if (!this.#isBefore(place, above)) return;
      this.#swap(place, above);
      place = above;
    }
  }

  #sink(from: number): void {
    for (let place = from; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      if (left >= this.size) return;
      const below = right < this.size && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(below, place)) return;
      this.#swap(below, place);
      place = below;
    }
  }

  #isBefore(one = 0, other = 0): boolean {
    const [rank = 0, otherRank = 0] = [this.#ranks[one], this.#ranks[other]];
    return rank < otherRank || (rank === otherRank && (this.#arrivals[one] ?? 0) < (this.#arrivals[other] ?? 0));
  }

  #swap(one: number, other: number): void {
    swap(this.#items, one, other);
    swap(this.#ranks, one, other);
    swap(this.#arrivals, one, other);
  }
}

function swap(list: unknown[], one: number, other: number): void {
  const held = list[one];
  list[one] = list[other];
  list[other] = held;
}
