/** How fresh something has to be, measured from its last verified observation; at least one of the two is there. */
export interface Objective {
  /** Older than this is told as a warning; it sets the pace when it is there. */
  readonly warnAfterMs?: number;
  /** Older than this breaks the promise. */
  readonly errorAfterMs?: number;
}

/** What part of a host's turns re-checks may have, so that discovery is not starved. */
export const recheckShare = 0.5;

/** Re-checks that come to nothing are repeated at first after a sixteenth of the objective, or a minute if that is less. */
const firstRetryMs = 60_000;

/** How often a host may be asked. */
export interface HostPace {
  /** The usual pause between two requests. */
  readonly delayMs: number;
  readonly concurrency: number;
}

/** What is to be kept fresh on one host: so many targets, each asked so often. */
export interface Demand {
  readonly targets: number;
  readonly objectiveMs: number;
}

export interface Feasibility {
  readonly isFeasible: boolean;
  /** Once round all targets takes so long: N·delay/concurrency. */
  readonly neededMs: number;
  /** Requests that the host allows within the objective. */
  readonly allowed: number;
  /** Part of all the host's turns that it takes, beside what was promised to others; above 1 it cannot be done. */
  readonly load: number;
  /** Whether it also fits into the share that re-checks have of the host. */
  readonly fitsShare: boolean;
  /** The nearest objective that can be kept, in whole minutes where it is longer than one; the objective itself if it can. */
  readonly nearestMs: number;
}

/** The age that a target should not come to: that of the warning, or else of the breach. */
export function paceOfObjective({ warnAfterMs, errorAfterMs }: Objective): number {
  return warnAfterMs ?? errorAfterMs ?? Infinity;
}

/** By when it has to be verified again; an observation that failed moves nothing. */
export function deadlineOf(lastVerifiedAt: number, objectiveMs: number): number {
  return lastVerifiedAt + objectiveMs;
}

/**
 * Whether a host lets an objective be kept: N·delay/concurrency ≤ objective.
 *
 * @param promised - the part of the host's turns that other objectives take: the sum of their `load`.
 */
export function feasibility({ targets, objectiveMs }: Demand, host: HostPace, promised = 0): Feasibility {
  const neededMs = (targets * host.delayMs) / host.concurrency;
  const load = neededMs / objectiveMs;
  const isFeasible = load <= 1 - promised;
  const nearest = promised < 1 ? neededMs / (1 - promised) : Infinity;
  return {
    isFeasible,
    neededMs,
    allowed: host.delayMs === 0 ? Infinity : Math.floor((objectiveMs * host.concurrency) / host.delayMs),
    load,
    fitsShare: load <= recheckShare - promised,
    nearestMs: isFeasible ? objectiveMs : rounded(nearest),
  };
}

/**
 * How long before its deadline a target falls due: as long as its host takes for all that share the objective, in the share
 * of turns that re-checks have, so that even when all deadlines are one none is missed; at least a tenth of the objective
 * and at most nine.
 */
export function leadOf(
  { targets, objectiveMs }: Demand,
  { delayMs, concurrency }: HostPace,
  share = recheckShare,
): number {
  const roundMs = (targets * delayMs) / (concurrency * share);
  return Math.round(Math.max(objectiveMs / 10, Math.min(roundMs, 0.9 * objectiveMs)));
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
  if (misses === 0) return due;
  const first = Math.min(firstRetryMs, objectiveMs / 16);
  return Math.max(due, Math.round(lastTurnAt + Math.min(first * 2 ** (misses - 1), objectiveMs / 4)));
}

/** A target and its deadline. */
export interface Deadline {
  readonly target: number;
  readonly deadlineAt: number;
}

/** One of a host's re-checks: when, and how long before its deadline; less than 0 when it comes too late. */
export interface RecheckTurn extends Deadline {
  readonly at: number;
  readonly slackMs: number;
}

/** Puts a host's re-checks in the order of their deadlines, from an instant on, as densely as their share of its turns allows. */
export function recheckTurns(
  deadlines: Iterable<Deadline>,
  { delayMs, concurrency }: HostPace,
  { from, share = recheckShare }: { readonly from: number; readonly share?: number },
): RecheckTurn[] {
  const gapMs = delayMs / (concurrency * share);
  return [...deadlines]
    .sort((a, b) => a.deadlineAt - b.deadlineAt || a.target - b.target)
    .map((deadline, index) => {
      const at = Math.round(from + index * gapMs);
      return { ...deadline, at, slackMs: deadline.deadlineAt - at };
    });
}

function rounded(ms: number): number {
  const unit = ms > 60_000 ? 60_000 : 1_000;
  return Math.ceil(ms / unit) * unit;
}
