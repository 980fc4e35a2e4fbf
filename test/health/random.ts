/** Random numbers that are the same for the same seed (mulberry32), and draws from distributions. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.trunc(seed);
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  /** A number whose logarithm is even between those of `least` and `most`. */
  logBetween(least: number, most: number): number {
    return Math.exp(this.between(Math.log(least), Math.log(most)));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A factor whose logarithm is normal with a deviation. */
  factor(deviation: number): number {
    return Math.exp(deviation * this.normal());
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) count += 1;
    return count;
  }

  binomial(trials: number, share: number): number {
    if (trials <= 0 || share <= 0) return 0;
    if (share >= 1) return trials;
    if (share > 0.5) return trials - this.binomial(trials, 1 - share);
    const mean = trials * share;
    if (mean > 40) return clamp(Math.round(mean + Math.sqrt(mean * (1 - share)) * this.normal()), 0, trials);
    if (trials > 50 && share < 0.1) return Math.min(trials, this.poisson(mean));
    let count = 0;
    for (let trial = 0; trial < trials; trial += 1) if (this.next() < share) count += 1;
    return count;
  }

  /** One of several, each with its weight. */
  pick<T>(table: readonly (readonly [weight: number, value: T])[]): T {
    let rest = this.next() * table.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of table) {
      rest -= weight;
      if (rest < 0) return value;
    }
    throw new Error('expected weights above 0');
  }
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
