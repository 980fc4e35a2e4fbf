/** A part of all keys in their order. */
export interface KeySlice {
  /** Leaves out the keys up to this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The first keys of a slice, in order. Looks at each key once and sorts no more than may be among them, however many there are. */
export function keysOf(keys: Iterable<string>, { after, limit }: KeySlice): string[] {
  let found: string[] = [];
  let bound: string | undefined;
  for (const key of keys) {
    if ((after !== undefined && key <= after) || (bound !== undefined && key >= bound)) continue;
    found.push(key);
    if (found.length < 2 * limit) continue;
    found = found.sort().slice(0, limit);
    bound = found.at(-1);
  }
  return found.sort().slice(0, limit);
}
