/** Lists that each begin with the newest, as one that does: always the item with the highest number next. */
export function* newestFirst<T>(lists: readonly Iterable<T>[], numberOf: (item: T) => number): Generator<T> {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  for (;;) {
    let newest = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[newest];
      if (!head.done && (best === undefined || best.done || numberOf(head.value) > numberOf(best.value)))
        newest = index;
    }
    const head = heads[newest];
    const iterator = iterators[newest];
    if (head === undefined || head.done || iterator === undefined) return;
    yield head.value;
    heads[newest] = iterator.next();
  }
}
