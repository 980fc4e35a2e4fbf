/** Bounds of a priority, in scrapes a day: about one in two weeks, and seven in four days. */
export const priorityBounds = { min: 0.07, max: 1.75 };
/** The priority of a target of which nothing is known, in scrapes a day. */
export const newPriority = 1;
/** How many of the newest results count. */
export const evidenceWindow = 30;
/** The most new records that one scrape counts for. */
const foundCap = 3;

/** The result of a scrape, as it counts for the priority. */
export interface ScrapeResult {
  /** Whether the scrape succeeded; a failed scrape does not count. */
  readonly ok: boolean;
  /** Records or items that the scrape was the first to store. */
  readonly found: number;
}

/** Returns the numbers of new records of the newest 30 successful scrapes, newest first, after one more scrape. */
export function withResult(found: readonly number[], { ok, found: newest }: ScrapeResult): readonly number[] {
  return ok ? [newest, ...found.slice(0, evidenceWindow - 1)] : found;
}

/**
 * Scrapes a day that a target deserves: with n results, newest first, result i weighs (n+1−i)²; the weighted mean of what
 * they found, none more than 3, is stretched over 0.07 … 1.75, times the multiplier, and held within these bounds.
 */
export function priorityOf(newestFirst: readonly number[], multiplier = 1): number {
  const n = Math.min(newestFirst.length, evidenceWindow);
  let [sum, weights] = [0, 0];
  for (let i = 0; i < n; i += 1) {
    const weight = (n + 1 - i) ** 2;
    sum += weight * Math.min(newestFirst[i] ?? 0, foundCap);
    weights += weight;
  }
  const { min, max } = priorityBounds;
  const stretched = n === 0 ? newPriority : (sum / weights) * (max - min) + min;
  return Math.min(max, Math.max(min, stretched * multiplier));
}
