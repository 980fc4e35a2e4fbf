/**
 * The most frequent of many values, with counts that are never too high: the count of a value is too low by a ninth of the other values at
 * most (Misra and Gries). Values are numbers, as hashes.
 */
export interface TopValues {
  /** All values that were counted. */
  readonly total: number;
  /** By value. */
  readonly counts: Readonly<Record<number, number>>;
}

/** The number of values that are kept. */
const mostKept = 8;

export const noValues: TopValues = { total: 0, counts: {} };

/** Counts values. */
export function topValues(values: readonly number[]): TopValues {
  const total = values.length;
  // Nothing is more frequent than the ninth where all values differ, as names and addresses do.
  if (total > mostKept && new Set(values).size === total) return { total, counts: {} };
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { total, counts: most(counts) };
}

/** The values of both. */
export function sumOfTops(one: TopValues, other: TopValues): TopValues {
  if (one.total === 0) return other;
  if (other.total === 0) return one;
  const counts = new Map(Object.entries(one.counts));
  for (const [value, count] of Object.entries(other.counts)) counts.set(value, (counts.get(value) ?? 0) + count);
  return { total: one.total + other.total, counts: most(counts) };
}

/** The values that are more frequent than the ninth, each with as much as it is more frequent. */
function most(counts: ReadonlyMap<number | string, number>): TopValues['counts'] {
  if (counts.size <= mostKept) return Object.fromEntries(counts);
  const sorted = [...counts.values()].toSorted((one, other) => other - one);
  const cut = sorted[mostKept] ?? 0;
  return Object.fromEntries([...counts].flatMap(([value, count]) => (count > cut ? [[value, count - cut]] : [])));
}

/** The share of the most frequent value in all. */
export function topShare({ total, counts }: TopValues): number {
  return total === 0 ? 0 : Math.max(0, ...Object.values(counts)) / total;
}
