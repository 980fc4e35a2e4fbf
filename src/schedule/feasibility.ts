import type { HostPace } from './host-pace.ts';
import type { Openness } from './time/open-hours.ts';

/** The part of a host's turns that re-checks have while anything else waits for it, so that neither starves the other. */
export const recheckShare = 0.5;

/**
 * The part of an objective that may be planned away, closed hours not counted. The rest is slack: the pause between two requests
 * is drawn at random, answers are slower at times, and one that fails is repeated.
 */
export const plannedPart = 0.9;

/** The least time assumed from a target's due time to its commit, in ms. */
const leastScrapeMs = 1_000;

/** Targets of one host that share an objective: their number and how old each may become. */
export interface Demand {
  readonly targets: number;
  readonly objectiveMs: number;
  /** The longest closed stretch and the open part of the targets' hours; missing if they are always open. */
  readonly hours?: Openness | undefined;
}

/** Identifies targets of one source that share an objective and hours on a politeness key: equal texts are equal values. */
export function demandId({
  key,
  source,
  objectiveMs,
  hours,
}: Omit<Demand, 'targets'> & { readonly key: string; readonly source: string }): string {
  return JSON.stringify([key, source, objectiveMs, hours]);
}

/** Whether a host lets an objective be kept, and the figures that tell why. */
export interface Feasibility {
  readonly isFeasible: boolean;
  /** The time to request every target once, using all open turns of the host. */
  readonly neededMs: number;
  /** The time that one scrape takes, in ms. */
  readonly scrapeMs: number;
  /** The part of the host's turns that this demand takes, other demands not counted; above `recheckShare` it is infeasible. */
  readonly load: number;
  /**
   * The nearest objective that can be kept, the objective itself if it can: in whole seconds up to ten minutes, in minutes up to
   * ten hours, in hours up to ten days. Infinite where shorter objectives take all turns reserved for re-checks.
   */
  readonly nearestMs: number;
}

/**
 * Whether a host lets an objective be kept whatever else waits for the host. It does if these together are no longer
 * than the objective, with slack: the longest closed stretch, one request of every target with the turns reserved for
 * re-checks, and one scrape.
 *
 * @param taken - the part of the host's turns that other objectives take: the sum of their `load`.
 */
export function feasibility(demand: Demand, host: HostPace, taken = 0): Feasibility {
  const { targets, objectiveMs, hours: { closedMs, openPart } = alwaysOpen } = demand;
  const neededMs = (targets * host.delayMs) / openPart;
  const leastMs = closedMs + plannedMs(demand, host, recheckShare - taken) / plannedPart;
  const isFeasible = leastMs <= objectiveMs;
  return {
    isFeasible,
    neededMs,
    scrapeMs: scrapeMs(host),
    load: neededMs / Math.max(0, objectiveMs - closedMs),
    nearestMs: isFeasible ? objectiveMs : roundedUp(leastMs),
  };
}

/** A target's objective as it decides when the target falls due. */
export interface DueObjective extends Omit<Demand, 'targets'> {
  /** The shortest objective of the target, under which its host's demands count it, in ms. */
  readonly shortestMs: number;
}

/**
 * Returns how long before its deadline a target falls due, in ms: the lead of the demand that it shares with the targets of the same
 * shortest objective, with the turns of the host that shorter objectives leave.
 *
 * @param demands - the demands of the host, the shortest objective first; those of longer objectives are passed over.
 */
export function leadAmong(
  { shortestMs, objectiveMs, hours }: DueObjective,
  host: HostPace,
  demands: readonly Demand[],
): number {
  const { targets, taken } = sharedBy(shortestMs, host, demands);
  return leadOf({ targets: Math.max(1, targets), objectiveMs, hours }, host, taken);
}

/**
 * Returns how long before its deadline each target of a demand falls due, in ms.
 *
 * A feasible demand has the longest time for which its hours are closed, plus the time that the host takes to request all its targets
 * once with the turns that shorter objectives leave: none is late even if all deadlines are the same instant. The lead without the
 * closed time is at least a tenth and at most nine tenths of the objective without it.
 *
 * An infeasible demand has the host's latency instead, within the same bounds: its targets are requested about once in each objective. An
 * earlier request would not help, since the host or the hours lack the turns.
 *
 * @param taken - the part of the host's turns that shorter objectives take, as `takenOn` returns it.
 */
export function leadOf(demand: Demand, host: HostPace, taken = 0): number {
  const { objectiveMs, hours: { closedMs } = alwaysOpen } = demand;
  const { isFeasible } = feasibility(demand, host, taken);
  const lostMs = isFeasible ? closedMs : 0;
  const openMs = objectiveMs - lostMs;
  const takenMs = isFeasible ? plannedMs(demand, host, recheckShare - taken) : (host.latencyMs ?? 0);
  return Math.round(lostMs + Math.max(openMs / 10, Math.min(takenMs, plannedPart * openMs)));
}

/** The part of the host's turns that feasible objectives take, shortest first. */
export function takenOn(host: HostPace, demands: readonly Demand[]): number {
  return demands.reduce((taken, demand) => {
    const { isFeasible, load } = feasibility(demand, host, taken);
    return isFeasible ? taken + load : taken;
  }, 0);
}

/** The records of a target that share an objective, as they decide how early their re-checks begin. */
export interface RecordDemand extends DueObjective {
  readonly records: number;
  /** The pages on which the records stand: as many requests verify all of them. */
  readonly pages: number;
}

/** How the re-checks of a target's records are spaced; all in ms. */
export interface RecordSpacing {
  /** The time between two re-checks: what the host needs for each in the turns that shorter objectives leave to re-checks. */
  readonly gapMs: number;
  /** How long before its deadline a re-check is to be over. */
  readonly slackMs: number;
  /** How long before its deadline a record is re-checked at most. */
  readonly leadMs: number;
}

/**
 * Returns how the re-checks of a target's records are spaced. Records whose objective the host or the hours do not allow are re-checked
 * without a gap, each a tenth of the objective before its deadline or the host's latency if that is longer: about once in each objective.
 *
 * @param demands - the demands of the host, the shortest objective first; those of longer objectives are passed over.
 */
export function recordSpacing(
  { shortestMs, objectiveMs, hours, records, pages }: RecordDemand,
  host: HostPace,
  demands: readonly Demand[],
): RecordSpacing {
  const { targets: sharing, taken } = sharedBy(shortestMs, host, demands);
  const demand: Demand = { targets: Math.max(pages, sharing), objectiveMs, hours };
  const { closedMs, openPart } = hours ?? alwaysOpen;
  const slackMs = closedMs + Math.max(scrapeMs(host), (1 - plannedPart) * (objectiveMs - closedMs));
  if (!feasibility(demand, host, taken).isFeasible) return { gapMs: 0, slackMs, leadMs: leadOf(demand, host, taken) };
  const neededMs = (demand.targets * host.delayMs) / (openPart * (recheckShare - taken));
  return { gapMs: neededMs / Math.max(1, records), slackMs, leadMs: plannedPart * objectiveMs };
}

/** The targets that share a shortest objective on a host, and the part of the host's turns that shorter objectives take. */
function sharedBy(
  shortestMs: number,
  host: HostPace,
  demands: readonly Demand[],
): { readonly targets: number; readonly taken: number } {
  const shorter = demands.filter((each) => each.objectiveMs < shortestMs);
  const sharing = demands.filter((each) => each.objectiveMs === shortestMs);
  return { targets: sharing.reduce((sum, each) => sum + each.targets, 0), taken: takenOn(host, shorter) };
}

/**
 * Returns the latest instant at which the re-checks of records can begin so that each is over by its deadline, one each `gapMs`; infinite
 * without records.
 *
 * @param deadlines - in ascending order.
 */
export function latestBegin(deadlines: Iterable<number>, gapMs: number): number {
  let [begin, count] = [Infinity, 0];
  for (const deadlineAt of deadlines) {
    count += 1;
    begin = Math.min(begin, deadlineAt - count * gapMs);
  }
  return begin;
}

const alwaysOpen: Openness = { closedMs: 0, openPart: 1 };

/** The time to finish the turn under way, request every target once with the part `share` of the host's turns and end the last scrape, in ms; infinite without turns. */
function plannedMs({ targets, hours: { openPart } = alwaysOpen }: Demand, host: HostPace, share: number): number {
  return share > 0 ? ((targets + 1) * host.delayMs) / (openPart * share) + scrapeMs(host) : Infinity;
}

function scrapeMs({ latencyMs = 0 }: HostPace): number {
  return Math.max(leastScrapeMs, latencyMs);
}

const unitsMs = [86_400_000, 3_600_000, 60_000, 1_000] as const;

/** A duration as files have it, in the largest unit of which it has more than ten, or else in seconds. */
function roundedUp(ms: number): number {
  const unitMs = unitsMs.find((each) => ms > 10 * each) ?? 1_000;
  return Math.ceil(ms / unitMs) * unitMs;
}
