/** However few rows match, no call looks at more than these, so that others are answered meanwhile. */
const maxScanned = 5_000;

export interface Slice<T> {
  readonly found: T[];
  /** The last row that was looked at; missing when there are no rows after it. */
  readonly last?: T;
}

/** The first `limit` rows that are wanted, or as many as a call may look for. */
export function sliceOf<T>(rows: Iterable<T>, limit: number, isWanted: (row: T) => boolean): Slice<T> {
  const found: T[] = [];
  let last: T | undefined;
  let scanned = 0;
  for (const row of rows) {
    if (last !== undefined && (found.length === limit || scanned === maxScanned)) return { found, last };
    if (isWanted(row)) found.push(row);
    last = row;
    scanned += 1;
  }
  return { found };
}
