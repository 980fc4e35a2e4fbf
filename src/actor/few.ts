/** None, one, or several of something that is no set itself. Most lives have no more than one link and one key, and a `Set` costs some 200 B. */
export type Few<T> = undefined | T | Set<T>;

export function withItem<T>(few: Few<T>, item: T): Few<T> {
  if (few === undefined || few === item) return item;
  return few instanceof Set ? few.add(item) : new Set([few, item]);
}

export function withoutItem<T>(few: Few<T>, item: T): Few<T> {
  if (few instanceof Set) {
    few.delete(item);
    return few.size === 0 ? undefined : few;
  }
  return few === item ? undefined : few;
}

export function countOf<T>(few: Few<T>): number {
  if (few === undefined) return 0;
  return few instanceof Set ? few.size : 1;
}

/** The items in the order they came. */
export function itemsOf<T>(few: Few<T>): Iterable<T> {
  if (few === undefined) return [];
  return few instanceof Set ? few : [few];
}
