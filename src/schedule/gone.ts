const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Causes by which a site says that a page is not there: status 410 says so for good, 404 perhaps by mistake. */
const causes = { gone: { times: 2, spanMs: dayMs }, not_found: { times: 5, spanMs: 7 * dayMs } } as const;

/** What a site has said of a target's page since it was there last. Instants are wall time. */
export interface GoneRow {
  /** What its last answer said. */
  readonly cause: keyof typeof causes;
  /** When the site first said so, and when it did last. */
  readonly since: number;
  readonly at: number;
  /** How many scrapes in a row it said so to. */
  readonly times: number;
}

/** The longest pause of a target whose page is gone. */
const longestMs = 30 * dayMs;

/** Returns what is known of a page after an answer; `undefined` for an answer that says something else than that it is not there. */
export function goneAfter(before: GoneRow | undefined, cause: string | undefined, at: number): GoneRow | undefined {
  if (cause !== 'gone' && cause !== 'not_found') return undefined;
  const since = Math.min(before?.since ?? at, at);
  return { cause, since, at, times: (before?.times ?? 0) + 1 };
}

/**
 * When a page that is not there is asked for again at the earliest: the pause is as long as it has been gone, so that it doubles.
 *
 * @param now - the present, since the clock may have been set back after the last answer.
 */
export function askAgainAt({ since, at }: GoneRow, now: number): number {
  return Math.min(at, now) + Math.min(at - since, longestMs);
}

/** Whether a site has said often enough, and for long enough, that a page is not there. */
export function isGoneForGood({ cause, since, at, times }: GoneRow): boolean {
  const needed = causes[cause];
  return times >= needed.times && at - since >= needed.spanMs;
}
