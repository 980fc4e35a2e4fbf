/** How old what is known may become, counted from the last verified observation; at least one of the two ages is there. */
export interface Objective {
  /** Older than this is told as a warning; it sets the pace when it is there. */
  readonly warnAfterMs?: number;
  /** Older than this breaks the objective. */
  readonly errorAfterMs?: number;
  /** When its season began: what was verified before then counts as verified then. Missing for one that always holds. */
  readonly since?: number;
}

/** An objective of a whole target, or of one of its fields. */
export interface TargetObjective extends Objective {
  /** Empty for the whole target. */
  readonly field: string;
}

/** Re-checks that come to nothing are repeated at first after a sixteenth of the objective, or a minute if that is less. */
const firstRetryMs = 60_000;

/** The age that a target should not come to: that of the warning, or else of the breach. */
export function paceOfObjective({ warnAfterMs, errorAfterMs }: Objective): number {
  return warnAfterMs ?? errorAfterMs ?? Infinity;
}

/** The instant from which the age of something counts for an objective. */
export function countedFrom(verifiedAt: number, { since = verifiedAt }: Objective): number {
  return Math.max(verifiedAt, since);
}

/** The instant by which a target or field must be verified again; a failed observation does not move it. */
export function deadlineOf(lastVerifiedAt: number, objectiveMs: number): number {
  return lastVerifiedAt + objectiveMs;
}

/** A target with an objective. */
export interface Recheck {
  /** Its last verified observation, or its creation. */
  readonly lastVerifiedAt: number;
  readonly objectiveMs: number;
  readonly leadMs: number;
  /** Turns in a row, up to the last one, that verified nothing. */
  readonly misses: number;
}

/**
 * When a target is due for its objective: the lead before its deadline, but after n misses no sooner than a pause from the
 * last turn that starts at a sixteenth of the objective, or a minute, and doubles up to a quarter.
 */
export function recheckAt({ lastVerifiedAt, objectiveMs, leadMs, misses }: Recheck, lastTurnAt: number): number {
  const due = deadlineOf(lastVerifiedAt, objectiveMs) - leadMs;
  return misses === 0 ? due : Math.max(due, lastTurnAt + retryPauseMs(objectiveMs, misses));
}

/** The pause after the last of `misses` turns in a row that verified nothing, in ms. */
export function retryPauseMs(objectiveMs: number, misses: number): number {
  const first = Math.min(firstRetryMs, objectiveMs / 16);
  return Math.round(Math.min(first * 2 ** (misses - 1), objectiveMs / 4));
}
