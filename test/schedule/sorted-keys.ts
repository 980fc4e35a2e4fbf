import type { TableKey } from '../../src/store/lmdb/table.ts';

/** A part of the keys; a bound that is missing is no bound. */
export interface KeyRange {
  readonly lower?: KeyBound | undefined;
  readonly upper?: KeyBound | undefined;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Before a key, or `after` it. */
export interface KeyBound {
  readonly key: TableKey;
  readonly after: boolean;
}

interface Place {
  readonly chunk: number;
  readonly at: number;
}

/** No run of keys is longer: to add one or to take one away moves so many at most. */
const longest = 128;

/** Keys in the order that LMDB has them in. */
export class SortedKeys {
  /** None of them is empty. */
  readonly #chunks: TableKey[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether a key comes after all of them. */
  isBeyond(key: TableKey): boolean {
    const last = this.#chunks.at(-1)?.at(-1);
    return last === undefined || compare(last, key) < 0;
  }

  /** Takes in a key that it does not have. */
  add(key: TableKey): void {
    this.#size += 1;
    if (this.isBeyond(key)) {
      const last = this.#chunks.at(-1);
      if (last === undefined || last.length === longest) this.#chunks.push([key]);
      else last.push(key);
      return;
    }
    const place = this.#chunkOf(key);
    const chunk = this.#chunks[place] ?? [];
    chunk.splice(placeIn(chunk, key), 0, key);
    if (chunk.length > longest) this.#chunks.splice(place + 1, 0, chunk.splice(longest >>> 1));
  }

  /** Takes away a key that it has. */
  remove(key: TableKey): void {
    const place = this.#chunkOf(key);
    const chunk = this.#chunks[place] ?? [];
    this.#size -= 1;
    chunk.splice(placeIn(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(place, 1);
  }

  /** Takes away the first run and hands it back, where so many are left at least. */
  trim(kept: number): readonly TableKey[] {
    const [first = []] = this.#chunks;
    if (this.#size - first.length < kept) return [];
    this.#size -= first.length;
    this.#chunks.shift();
    return first;
  }

  within({ lower, upper, newestFirst, limit }: KeyRange): TableKey[] {
    const from = lower === undefined ? { chunk: 0, at: 0 } : this.#placeOf(lower);
    const to = upper === undefined ? { chunk: this.#chunks.length, at: 0 } : this.#placeOf(upper);
    const found: TableKey[] = [];
    if (newestFirst)
      for (let chunk = to.chunk; chunk >= from.chunk && found.length < limit; chunk -= 1)
        for (let { start, end } = this.#part(chunk, from, to); end > start && found.length < limit; end -= 1)
          found.push(this.#chunks[chunk]?.[end - 1] ?? 0);
    else
      for (let { chunk } = from; chunk <= to.chunk && found.length < limit; chunk += 1)
        for (let { start, end } = this.#part(chunk, from, to); start < end && found.length < limit; start += 1)
          found.push(this.#chunks[chunk]?.[start] ?? 0);
    return found;
  }

  /** What lies within a run between two places. */
  #part(chunk: number, from: Place, to: Place): { readonly start: number; readonly end: number } {
    const start = chunk === from.chunk ? from.at : 0;
    return { start, end: chunk === to.chunk ? to.at : (this.#chunks[chunk]?.length ?? 0) };
  }

  #placeOf({ key, after }: KeyBound): Place {
    const place = this.#chunkOf(key);
    const chunk = this.#chunks[place] ?? [];
    const at = placeIn(chunk, key);
    const found = chunk[at];
    return { chunk: place, at: after && found !== undefined && compare(found, key) === 0 ? at + 1 : at };
  }

  /** The run in which a key is or would be. */
  #chunkOf(key: TableKey): number {
    let [low, high] = [0, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#chunks[middle]?.at(-1) ?? 0, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Where a key is or would be in a run. */
function placeIn(chunk: readonly TableKey[], key: TableKey): number {
  let [low, high] = [0, chunk.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(chunk[middle] ?? 0, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers come before texts, and a list before a longer one that it begins. */
function compare(one: TableKey, other: TableKey): number {
  if (typeof one !== 'object' || typeof other !== 'object')
    return typeof one === 'object' || typeof other === 'object'
      ? compare([one].flat(), [other].flat())
      : compareParts(one, other);
  const parts = Math.min(one.length, other.length);
  for (let place = 0; place < parts; place += 1) {
    const order = compareParts(one[place] ?? 0, other[place] ?? 0);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function compareParts(one: string | number, other: string | number): number {
  if (one === other) return 0;
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1;
  if (typeof other === 'number') return 1;
  return one < other ? -1 : 1;
}
