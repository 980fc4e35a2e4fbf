import * as z from 'zod';

/** Ages in one bucket differ by so much, so that a quantile is right within 1 %. */
const width = Math.log(1.02);
/** Up to some 300 years. */
const buckets = 1_500;

/** The ages of targets and fields with an objective, in milliseconds. Quantiles are exact within 1 %. */
export const FreshnessView = z.strictObject({
  count: z.int(),
  maxMs: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
  /** The part of the objectives that are kept; 1 if there are none. */
  shareWithin: z.number(),
  breaches: z.int(),
  /** The first deadline that is still to come; missing if there is none. */
  nextDeadlineAt: z.int().exactOptional(),
});
export type FreshnessView = Readonly<z.infer<typeof FreshnessView>>;

/** Ages, counted in one pass in 12 kB, however many there are. */
export class FreshnessCensus {
  readonly #counts = new Float64Array(buckets);
  readonly #at: number;
  #count = 0;
  #breaches = 0;
  #maxMs = 0;
  #nextDeadlineAt = Infinity;

  /** @param at - the instant of the report. */
  constructor(at: number) {
    this.#at = at;
  }

  add(lastVerifiedAt: number, objectiveMs: number): void {
    const ageMs = Math.max(0, this.#at - lastVerifiedAt);
    const bucket = ageMs < 1 ? 0 : Math.min(buckets - 1, 1 + Math.floor(Math.log(ageMs) / width));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    if (ageMs > this.#maxMs) this.#maxMs = ageMs;
    const deadlineAt = lastVerifiedAt + objectiveMs;
    if (ageMs > objectiveMs) this.#breaches += 1;
    else if (deadlineAt < this.#nextDeadlineAt) this.#nextDeadlineAt = deadlineAt;
  }

  report(): FreshnessView {
    return {
      count: this.#count,
      maxMs: this.#maxMs,
      p50Ms: this.#quantile(0.5),
      p95Ms: this.#quantile(0.95),
      p99Ms: this.#quantile(0.99),
      shareWithin: this.#count === 0 ? 1 : 1 - this.#breaches / this.#count,
      breaches: this.#breaches,
      ...(this.#nextDeadlineAt < Infinity && { nextDeadlineAt: this.#nextDeadlineAt }),
    };
  }

  /** The age that the given part of all does not exceed, at the middle of its bucket. */
  #quantile(part: number): number {
    let left = Math.ceil(part * this.#count);
    if (left === 0) return 0;
    let bucket = -1;
    while (left > 0 && bucket < buckets - 1) {
      bucket += 1;
      left -= this.#counts[bucket] ?? 0;
    }
    return bucket === 0 ? 0 : Math.min(this.#maxMs, Math.round(Math.exp((bucket - 0.5) * width)));
  }
}
