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
  const counts = new Map<number, number>();
  for (const value of values) {
    const count = counts.get(value);
    if (count !== undefined) counts.set(value, count + 1);
    else if (counts.size < mostKept) counts.set(value, 1);
    else
      for (const [other, times] of counts) {
        if (times > 1) counts.set(other, times - 1);
        else counts.delete(other);
      }
  }
  return { total: values.length, counts: Object.fromEntries(counts) };
}

/** The values of both. */
export function sumOfTops(one: TopValues, other: TopValues): TopValues {
  if (one.total === 0) return other;
  if (other.total === 0) return one;
  const counts: Record<number, number> = { ...one.counts };
  for (const [value, count] of Object.entries(other.counts))
    counts[Number(value)] = (counts[Number(value)] ?? 0) + count;
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const cut = sorted[mostKept]?.[1] ?? 0;
  const kept = sorted.filter(([, count]) => count > cut).map(([value, count]) => [value, count - cut] as const);
  return { total: one.total + other.total, counts: Object.fromEntries(kept) };
}

/** The share of the most frequent value in all. */
export function topShare({ total, counts }: TopValues): number {
  return total === 0 ? 0 : Math.max(0, ...Object.values(counts)) / total;
}
