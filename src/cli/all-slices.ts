/** One answer of a method that lists: some rows, and where the next ones begin, if there are any. */
export interface Answer<T, Cursor> {
  readonly rows: readonly T[];
  readonly next: Cursor | undefined;
}

/** The most rows that a daemon lists in one answer. */
const maxSlice = 1_000;

/** Asks for slice after slice until there are `limit` rows or no more. */
export async function allSlices<T, Cursor>(
  limit: number,
  ask: (limit: number, from: Cursor | undefined) => Promise<Answer<T, Cursor>>,
): Promise<T[]> {
  const found: T[] = [];
  let from: Cursor | undefined;
  do {
    const { rows, next } = await ask(Math.min(limit - found.length, maxSlice), from);
    found.push(...rows);
    from = next;
  } while (from !== undefined && found.length < limit);
  return found;
}
