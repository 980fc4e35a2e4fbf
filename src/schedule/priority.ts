/** Bounds of a priority, in scrapes a day: about one in two weeks, and seven in four days. */
export const priorityBounds = { min: 0.07, max: 1.75 };
/** Of a target of which nothing is known. */
export const newPriority = 1;
/** So many of the newest results count. */
export const evidenceWindow = 30;
/** One scrape that finds more counts as if it had found so many. */
const foundCap = 3;

/** How a scrape ended, as far as it says how much there is to find. */
export interface ScrapeResult {
  /** Whether it ended well; one that failed says nothing of what there was to find. */
  readonly ok: boolean;
  /** Records or items that it was the first to store. */
  readonly found: number;
}

/** What the newest results found, newest first: at most 30, and none of a scrape that failed. */
export function evidenceOf(newestFirst: Iterable<ScrapeResult>): number[] {
  const found: number[] = [];
  for (const result of newestFirst) {
    if (found.length === evidenceWindow) break;
    if (result.ok) found.push(result.found);
  }
  return found;
}

/** The evidence after one more scrape. */
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
