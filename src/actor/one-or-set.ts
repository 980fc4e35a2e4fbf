/** None, one, or a set of items that are no sets themselves. Most lives have one link and one key at most, and a `Set` takes some 200 B. */
export type OneOrSet<T> = undefined | T | Set<T>;

/** Returns the items with `item` among them; a set is changed in place. */
export function withItem<T>(items: OneOrSet<T>, item: T): OneOrSet<T> {
  if (items === undefined || items === item) return item;
  return items instanceof Set ? items.add(item) : new Set([items, item]);
}

/** Returns the items without `item`; a set is changed in place. */
export function withoutItem<T>(items: OneOrSet<T>, item: T): OneOrSet<T> {
  if (items instanceof Set) {
    items.delete(item);
    return items.size === 0 ? undefined : items;
  }
  return items === item ? undefined : items;
}

/** Returns the number of items. */
export function countOf<T>(items: OneOrSet<T>): number {
  if (items === undefined) return 0;
  return items instanceof Set ? items.size : 1;
}

/** The items in the order in which they were added. */
export function itemsOf<T>(items: OneOrSet<T>): Iterable<T> {
  if (items === undefined) return [];
  return items instanceof Set ? items : [items];
}
