/** The tokens of a target: a scrape costs one, and each day adds as many as the target's priority. */
export interface Bucket {
  readonly tokens: number;
  /** The number of the last day whose tokens were added and spent, so that no day is granted twice. */
  readonly day: number;
}

/** The limits of a target's tokens. */
export interface TokenLimits {
  /** The tokens of a new target. */
  readonly start: number;
  /** The most tokens that a bucket holds. */
  readonly cap: number;
  /** The most scrapes of one target in a day. */
  readonly perDay: number;
}

/** The limits of a target whose definition gives none. */
export const defaultTokens: TokenLimits = { start: 1, cap: 4, perDay: 3 };

/** The tokens of a target, and what they paid for. */
export interface TokensRow {
  readonly kind: 'tokens';
  readonly bucket: Bucket;
  /** The turns that the plan of the day gave the target, in order. */
  readonly planned: readonly number[];
  /** When the next day begins that is to be planned, by the clocks of the target's zone. */
  readonly planAt: number;
}

/** A bucket after a day was granted, and the scrapes that it paid for. */
export interface Spent {
  readonly bucket: Bucket;
  /** Scrapes that were paid for, to be made within the day. */
  readonly scrapes: number;
}

/** Whether a bucket was granted a day: that one, or the next one, after which the clock was set back. */
export function isGranted({ day: last }: Bucket, day: number): boolean {
  return day === last || day === last - 1;
}

/** A day that is granted to a bucket. */
export interface Day {
  readonly day: number;
  /** Tokens that a day grants. */
  readonly priority: number;
  /**
   * `disabled` targets are granted nothing and spend nothing; of those `waiting`, as for credentials, the tokens are kept
   * for when they can be scraped. Default: `active`.
   */
  readonly state?: 'active' | 'waiting' | 'disabled';
}

/** The bucket of a target added on a day, which it is scraped on. */
export function newBucket(day: number, { start }: TokenLimits = defaultTokens): Bucket {
  return { tokens: start, day: day - 1 };
}

/**
 * Grants the days since the last one that was granted, to the cap at most, then spends what is whole, up to the day's limit.
 * A day that was granted already, or the one before it, changes nothing; where the clock was set back further, the days are
 * counted on from there.
 */
export function spendDay(bucket: Bucket, { day, priority, state = 'active' }: Day, limits = defaultTokens): Spent {
  if (isGranted(bucket, day)) return { bucket, scrapes: 0 };
  if (day < bucket.day) return { bucket: { ...bucket, day }, scrapes: 0 };
  if (state === 'disabled') return { bucket: { tokens: bucket.tokens, day }, scrapes: 0 };
  const tokens = Math.min(limits.cap, exact(bucket.tokens + priority * (day - bucket.day)));
  const scrapes = state === 'waiting' ? 0 : Math.min(Math.floor(tokens), limits.perDay);
  return { bucket: { tokens: exact(tokens - scrapes), day }, scrapes };
}

/** Gives back what was paid for scrapes that the day had no room for, as when the daemon was down at their time. */
export function refunded(bucket: Bucket, scrapes: number, { cap }: TokenLimits = defaultTokens): Bucket {
  return { ...bucket, tokens: Math.min(cap, exact(bucket.tokens + scrapes)) };
}

/** The first day that will pay for a scrape, if the priority stays. */
export function nextPaidDay({ tokens, day }: Bucket, priority: number): number {
  return day + Math.max(1, Math.ceil(exact((1 - tokens) / priority)));
}

/** Removes the rounding error of a sum of binary fractions, so that ten times 0.1 is a whole token. */
function exact(tokens: number): number {
  return Math.round(tokens * 1e9) / 1e9;
}
