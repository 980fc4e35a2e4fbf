import { LRUCache } from 'lru-cache';
import type { Span } from './open-hours.ts';

/** Groups up to this size are improved by swaps; in larger ones the order of the keys stands. */
const swapLimit = 64;
/** A gain that is smaller is the rounding of sums. */
const tie = 1e-9;
/** By the counts of a group, the places of its pages in the improved order: few counts are in use, and many small groups have the same. */
const improved = new LRUCache<string, Uint32Array>({ max: 1_000 });

/** A page and how often it is to be scraped. */
export interface Repeats {
  readonly id: number;
  readonly times: number;
}

/** The instants of n scrapes: the k-th, from 1, at S + k·(E−S)/(n+1), so that none is at either end. Whole milliseconds. */
export function evenly(n: number, { from, to }: Span): Float64Array {
  return evenlyWithin(n, [{ from, to }]);
}

/** The instants of n scrapes over several spans, as `evenly` spreads them over one, as if nothing lay between the spans. The spans are in order and apart. */
export function evenlyWithin(n: number, spans: readonly Span[]): Float64Array {
  const total = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const instants = new Float64Array(n);
  let [index, passed] = [0, 0];
  for (let k = 1; k <= n; k += 1) {
    const offset = (k * total) / (n + 1);
    let span = spans[index];
    while (span !== undefined && index + 1 < spans.length && passed + span.to - span.from <= offset) {
      passed += span.to - span.from;
      index += 1;
      span = spans[index];
    }
    instants[k - 1] = span === undefined ? Number.NaN : Math.round(span.from + offset - passed);
  }
  return instants;
}

/**
 * An order in which repeats of a page are as far apart as can be: occurrence k of a page with c has the key (k+0.5)/c, and
 * what is sorted by (key, −c, id) is, in groups of up to 64, improved by the best swap of two until none improves it. The
 * same pages give the same order, however they are given.
 */
export function orderApart(pages: readonly Repeats[]): Uint32Array {
  const isSorted = pages.every(({ id }, place) => id >= (pages[place - 1]?.id ?? id));
  const sorted = isSorted ? pages : pages.toSorted((a, b) => a.id - b.id);
  const total = sorted.reduce((sum, { times }) => sum + times, 0);
  if (total > swapLimit) return keyOrder(sorted);
  const counts = sorted.map(({ times }) => times);
  return improvedOrder(counts).map((place) => sorted[place]?.id ?? 0);
}

/** The places of pages with these counts. */
function improvedOrder(counts: readonly number[]): Uint32Array {
  const key = counts.join();
  const known = improved.get(key);
  if (known !== undefined) return known;
  const order = keyOrder(counts.map((times, id) => ({ id, times })));
  improve(order);
  improved.set(key, order);
  return order;
}

/** Pages are in the order of their ids. Few counts are in use, so the entries are laid down count by count rather than sorted. */
function keyOrder(pages: readonly Repeats[]): Uint32Array {
  const idsByTimes = new Map<number, number[]>();
  for (const { id, times } of pages) {
    const ids = idsByTimes.get(times);
    if (ids === undefined) idsByTimes.set(times, [id]);
    else ids.push(id);
  }
  const batches: { readonly key: number; readonly times: number; readonly ids: readonly number[] }[] = [];
  let total = 0;
  for (const [times, ids] of idsByTimes) {
    total += times * ids.length;
    for (let k = 0; k < times; k += 1) batches.push({ key: (k + 0.5) / times, times, ids });
  }
  batches.sort((a, b) => a.key - b.key || b.times - a.times);
  const order = new Uint32Array(total);
  let place = 0;
  for (const { ids } of batches) {
    order.set(ids, place);
    place += ids.length;
  }
  return order;
}

/** Where the repeats of one page are in an order, and how near they are to one another. */
interface Places {
  readonly of: number[];
  near: number;
}

/**
 * Swaps the two entries whose swap gains most, of equals the first, until no swap gains anything. What a swap gains depends on
 * the pages of the two alone, so only the pairs with a page that was just moved are looked at again.
 */
function improve(order: Uint32Array): void {
  const entries = entriesOf(order);
  const gains = new Float64Array(order.length ** 2);
  let moved: readonly Places[] = entries;
  for (;;) {
    let [gain, first, second] = [tie, -1, -1];
    for (const [i, a] of entries.entries()) {
      for (let j = i + 1; j < entries.length; j += 1) {
        const b = entries[j];
        if (b === undefined) continue;
        const pair = i * entries.length + j;
        if (moved === entries || a === moved[0] || a === moved[1] || b === moved[0] || b === moved[1])
          gains[pair] = gainOf(a, b, i, j);
        const found = gains[pair] ?? 0;
        if (found > gain + (first === -1 ? 0 : tie)) [gain, first, second] = [found, i, j];
      }
    }
    const [a, b] = [entries[first], entries[second]];
    if (a === undefined || b === undefined) return;
    swap(order, entries, first, second);
    moved = [a, b];
  }
}

function gainOf(a: Places, b: Places, i: number, j: number): number {
  if (a === b || (a.of.length === 1 && b.of.length === 1)) return 0;
  return a.near - nearMoved(a.of, i, j) + b.near - nearMoved(b.of, j, i);
}

/** By place of the order, the page that is there. */
function entriesOf(order: Uint32Array): Places[] {
  const pages = new Map<number, Places>();
  const entries: Places[] = [];
  for (const [place, id] of order.entries()) {
    const page = pages.get(id) ?? { of: [], near: 0 };
    const before = page.of.at(-1);
    if (before !== undefined) page.near += 1 / (place - before);
    page.of.push(place);
    pages.set(id, page);
    entries.push(page);
  }
  return entries;
}

/** How near repeats are to one another once the one at `from` is at `to`; called for every pair, so it makes nothing. */
function nearMoved(places: readonly number[], from: number, to: number): number {
  let [sum, before, isPlaced] = [0, -1, false];
  for (const place of places) {
    if (place === from) continue;
    if (!isPlaced && to < place) {
      if (before >= 0) sum += 1 / (to - before);
      [before, isPlaced] = [to, true];
    }
    if (before >= 0) sum += 1 / (place - before);
    before = place;
  }
  return isPlaced || before < 0 ? sum : sum + 1 / (to - before);
}

function swap(order: Uint32Array, entries: Places[], i: number, j: number): void {
  const [a, b] = [entries[i], entries[j]];
  if (a === undefined || b === undefined) return;
  move(a, i, j);
  move(b, j, i);
  [entries[i], entries[j]] = [b, a];
  const id = order[i] ?? 0;
  order[i] = order[j] ?? 0;
  order[j] = id;
}

function move(page: Places, from: number, to: number): void {
  page.near = nearMoved(page.of, from, to);
  page.of[page.of.indexOf(from)] = to;
  page.of.sort((a, b) => a - b);
}
