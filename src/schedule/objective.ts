import type { HostPace } from './host-pace.ts';
import type { Openness } from './openness.ts';

/** How fresh something has to be, measured from its last verified observation; at least one of the two is there. */
export interface Objective {
  /** Older than this is told as a warning; it sets the pace when it is there. */
  readonly warnAfterMs?: number;
  /** Older than this breaks the promise. */
  readonly errorAfterMs?: number;
}

/** The part of a host's turns that re-checks have while anything else waits for it, so that neither starves the other. */
export const recheckShare = 0.5;

/** Re-checks that come to nothing are repeated at first after a sixteenth of the objective, or a minute if that is less. */
const firstRetryMs = 60_000;

/**
 * The part of an objective that may be planned away, closed hours not counted. The rest is slack: the pause between two requests
 * is drawn at random, answers are slower at times, and one that fails is repeated.
 */
const plannedPart = 0.9;

/** No scrape is taken to be over sooner, from when its target falls due to when what it found is written. */
const leastScrapeMs = 1_000;

/** What is to be kept fresh on one host: so many targets, each asked so often. */
export interface Demand {
  readonly targets: number;
  readonly objectiveMs: number;
  /** What the hours in which they may be asked leave of the time; missing for always. */
  readonly hours?: Openness | undefined;
}

export interface Feasibility {
  readonly isFeasible: boolean;
  /** Once round all targets takes so long, with all turns of their host that their hours leave. */
  readonly neededMs: number;
  /** One scrape takes so long. */
  readonly scrapeMs: number;
  /** Part of all the host's turns that it takes, beside what was promised to others; above `recheckShare` it cannot be done. */
  readonly load: number;
  /**
   * The nearest objective that can be kept, the objective itself if it can: in whole seconds up to ten minutes, in minutes up to
   * ten hours, in hours up to ten days. Infinite where others have all that re-checks are sure of.
   */
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
 * Whether a host lets an objective be kept whatever else waits for it: the time for which its hours are closed, once round all targets in
 * the share of turns that re-checks are sure of, and a scrape come to no more, with slack.
 *
 * @param promised - the part of the host's turns that other objectives take: the sum of their `load`.
 */
export function feasibility(demand: Demand, host: HostPace, promised = 0): Feasibility {
  const { targets, objectiveMs, hours: { closedMs, openPart } = alwaysOpen } = demand;
  const neededMs = (targets * host.delayMs) / openPart;
  const leastMs = closedMs + plannedMs(demand, host, recheckShare - promised) / plannedPart;
  const isFeasible = leastMs <= objectiveMs;
  return {
    isFeasible,
    neededMs,
    scrapeMs: scrapeMs(host),
    load: neededMs / Math.max(0, objectiveMs - closedMs),
    nearestMs: isFeasible ? objectiveMs : roundedUp(leastMs),
  };
}

/**
 * How long before its deadline a target falls due: as long as its host takes for all that share the objective, in the share
 * of turns that re-checks have beside those of shorter objectives, so that even when all deadlines are one none is missed, and as
 * long as its hours may be closed meanwhile. At least a tenth of what these leave of the objective, and at most nine. What cannot be kept is asked for about
 * once in each objective, only as much sooner as its host takes to answer: more would keep nothing, as its host or hours lack the turns.
 *
 * @param promised - the part of the host's turns that shorter objectives take, as `promisedOn` has it.
 */
export function leadOf(demand: Demand, host: HostPace, promised = 0): number {
  const { objectiveMs, hours: { closedMs } = alwaysOpen } = demand;
  const { isFeasible } = feasibility(demand, host, promised);
  const lostMs = isFeasible ? closedMs : 0;
  const openMs = objectiveMs - lostMs;
  const takenMs = isFeasible ? plannedMs(demand, host, recheckShare - promised) : (host.latencyMs ?? 0);
  return Math.round(lostMs + Math.max(openMs / 10, Math.min(takenMs, plannedPart * openMs)));
}

/** The part of a host's turns that objectives take which can be kept; each is promised what those before it leave. */
export function promisedOn(host: HostPace, demands: readonly Demand[]): number {
  return demands.reduce((promised, demand) => {
    const { isFeasible, load } = feasibility(demand, host, promised);
    return isFeasible ? promised + load : promised;
  }, 0);
}

const alwaysOpen: Openness = { closedMs: 0, openPart: 1 };

/** What is left of the turn before, once round all targets with a part of the host's turns, and the scrape of the last; infinite with none. */
function plannedMs({ targets, hours: { openPart } = alwaysOpen }: Demand, host: HostPace, share: number): number {
  return share > 0 ? ((targets + 1) * host.delayMs) / (openPart * share) + scrapeMs(host) : Infinity;
}

function scrapeMs({ latencyMs = 0 }: HostPace): number {
  return Math.max(leastScrapeMs, latencyMs);
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

const unitsMs = [86_400_000, 3_600_000, 60_000, 1_000] as const;

/** A duration as files have it, in the largest unit of which it has more than ten, or else in seconds. */
function roundedUp(ms: number): number {
  const unitMs = unitsMs.find((each) => ms > 10 * each) ?? 1_000;
  return Math.ceil(ms / unitMs) * unitMs;
}
