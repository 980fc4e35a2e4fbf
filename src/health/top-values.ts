/**
 * The most frequent of many values, with counts that are never too high: the count of a value is too low by a ninth of the other values at
 * most (Misra and Gries). Values are numbers, as hashes.
 */
export interface TopValues {
  /** All values that were counted. */
  readonly total: number;
  /** The most frequent values, each once; eight at most. */
  readonly values: readonly number[];
  /** How often each of them was counted, in their order. */
  readonly counts: readonly number[];
}

/** The number of values that are kept. */
const mostKept = 8;

export const noValues: TopValues = { total: 0, values: [], counts: [] };

/** Counts values. */
export function topValues(all: readonly number[]): TopValues {
  const total = all.length;
  // Nothing is more frequent than the ninth where all values differ, as names and addresses do.
  if (total > mostKept && new Set(all).size === total) return { ...noValues, total };
  const found = new Map<number, number>();
  for (const value of all) found.set(value, (found.get(value) ?? 0) + 1);
  return mostOf(total, [...found.keys()], [...found.values()]);
}

/** The values of both. */
export function sumOfTops(one: TopValues, other: TopValues): TopValues {
  if (one.total === 0) return other;
  if (other.total === 0) return one;
  const values = one.values.slice();
  const counts = one.counts.slice();
  // Each has eight at most, so that to look through them takes less time than a map does.
  for (const [at, value] of other.values.entries()) {
    const count = other.counts[at] ?? 0;
    const known = values.indexOf(value);
    if (known < 0) {
      values.push(value);
      counts.push(count);
    } else counts[known] = (counts[known] ?? 0) + count;
  }
  return mostOf(one.total + other.total, values, counts);
}

/** The values that are more frequent than the ninth, each with as much as it is more frequent. */
function mostOf(total: number, values: readonly number[], counts: readonly number[]): TopValues {
  if (values.length <= mostKept) return { total, values, counts };
  const cut = counts.toSorted((one, other) => other - one)[mostKept] ?? 0;
  return {
    total,
    values: values.filter((_, at) => (counts[at] ?? 0) > cut),
    counts: counts.filter((count) => count > cut).map((count) => count - cut),
  };
}

/** The share of the most frequent value in all. */
export function topShare({ total, counts }: TopValues): number {
  return total === 0 ? 0 : Math.max(0, ...counts) / total;
}
