/** How turns are given. */
export interface TurnBookOptions {
  /** A number in `[0, 1)`. */
  readonly random: () => number;
  /** Turns out at a time, over all keys. */
  readonly maxInFlight: number;
  /** How long a turn may stay out before its request is reported sent, and from then by default. */
  readonly unsentMs: number;
  readonly sentMs: number;
  /** A turn that is out for longer, by default 10 s, is durable; one that is not, as most, writes nothing. */
  readonly longOutMs?: number;
  readonly startedAt: number;
  /** Above all numbers of earlier books, so that a lease of theirs is none of this one's. */
  readonly firstNumber?: number;
  /** The part of a key's turns that re-checks have while others wait for it too. Default: half. */
  readonly recheckShare?: number;
  /** A host asked to be left alone for longer than is honoured. */
  readonly capped?: (key: string, askedMs: number) => void;
}
