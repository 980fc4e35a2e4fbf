import { defined } from '../defined.ts';
import { type Demand, leadAmong } from './feasibility.ts';
import type { ForecastTarget } from './forecast.ts';
import { type PulsedFields, shortestObjectiveMs, shortestScrapedMs } from './fresh-row.ts';
import type { HostPace } from './host-pace.ts';
import type { TargetSchedule } from './levels.ts';
import { nextDueAt } from './next-due.ts';
import { type GivenPace, type PaceRow, paceOf } from './pace/all.ts';
import type { ScheduleRow } from './row.ts';
import { firstScrapeAt, isGiven } from './scheduling.ts';
import { slotFraction } from './time/grid.ts';
import { type Openness, opennessOf } from './time/open-hours.ts';

const dayMs = 86_400_000;
/** How long before the forecast the virtual clock begins for a target whose turns before the forecast are not known, in ms. */
const settlingMs = 7 * dayMs;
/** The number of different phases that such targets have. */
const unknownPhases = 128;

/** The begin of a forecast and the present, as wall time. */
export interface ForecastBegin {
  readonly from: number;
  readonly now: number;
}

/** A target whose turns are forecast. */
export interface StartingTarget {
  readonly given: GivenPace;
  /** The politeness key. */
  readonly key: string;
  /** The target's number among the targets of its key, from 0; decides its phase where no row has one. */
  readonly slot: number;
}

/** The place of a target in the schedule when a forecast is made. */
export interface KnownPlace {
  readonly initialDelayMs: number;
  /** Whether the target is tracked already. */
  readonly isTracked: boolean;
  readonly stored: ScheduleRow | undefined;
}

/**
 * Returns the row that a target has when the forecast begins. Returns `undefined` for a target whose first scrape is over by a begin in
 * the future: its last turn before that is not known, and `walkedStart` assumes one.
 */
export function rowAtStart(
  { from, now }: ForecastBegin,
  { given, key, slot }: StartingTarget,
  { initialDelayMs, isTracked, stored }: KnownPlace,
): ForecastTarget['row'] | undefined {
  const waiting = isTracked ? stored?.firstAt : Infinity;
  const scrapedAt = firstScrapeAt(waiting, Math.min(from, now), initialDelayMs);
  const isOver = scrapedAt === undefined || (scrapedAt < from && from > now);
  if (isOver && from > now) return undefined;
  const firstAt = isOver ? undefined : scrapedAt;
  const isKept = stored !== undefined && stored.rest === undefined && isGiven(stored.pace, { pace: given, key });
  if (isKept) return { since: stored.since, pace: stored.pace, ...defined({ firstAt }) };
  const pace = begun({ given, key, slot }, { at: from, firstAt, originAt: firstAt ?? from });
  return { since: from - 1, pace, ...defined({ firstAt }) };
}

/**
 * Returns the row of a target whose last turn before the forecast is not known. It is followed from a week before the forecast, with a
 * last turn before that at one of 128 phases.
 *
 * @param recheckMs - how long after a turn the objective asks for the next one; missing where none asks.
 */
export function walkedStart(
  { from }: Pick<ForecastBegin, 'from'>,
  target: StartingTarget,
  recheckMs = Infinity,
): Pick<ForecastTarget, 'row' | 'verifiedAt' | 'walkedFrom'> {
  const walkedFrom = from - settlingMs;
  const paceAt = (at: number) => begun(target, { at, firstAt: undefined, originAt: from });
  const nextAt = nextDueAt({ at: walkedFrom, since: walkedFrom, pace: paceAt(walkedFrom), given: target.given });
  const periodMs = Math.min(recheckMs, (nextAt ?? Infinity) - walkedFrom);
  const sinceMs = periodMs === Infinity ? 0 : slotFraction(target.slot % unknownPhases) * periodMs;
  const since = walkedFrom - Math.round(sinceMs);
  return { row: { since, pace: paceAt(since) }, verifiedAt: since, walkedFrom };
}

/** Returns the row of a pace that begins, with the target's slot on the grids of its host. */
function begun(
  { given, key, slot }: StartingTarget,
  { originAt, ...at }: { readonly at: number; readonly firstAt: number | undefined; readonly originAt: number },
): PaceRow {
  const places = { freeSlot: () => slot, originOf: () => originAt };
  return paceOf(given).begin(given, { ...at, key, places, random: () => 0.5 });
}

/**
 * Returns how long a scrape takes, without the sleep after it, in ms; `undefined` for a pace that does not count from the end of a
 * scrape. Each request takes a turn of the host, and the turn of the first one passes during the sleep if that is as long.
 */
export function usualTookMs(
  given: GivenPace,
  requests: number,
  { delayMs, latencyMs = 0 }: HostPace,
): number | undefined {
  const sleepMs = paceOf(given).pauseMs?.(given);
  return sleepMs === undefined
    ? undefined
    : Math.max(1, (requests - 1) * delayMs + latencyMs, requests * delayMs - sleepMs);
}

/** The objectives of targets of one schedule, as a forecast needs them. */
export interface StartingObjectives {
  /** The shortest of all objectives, in ms; missing without any. */
  readonly shortestMs?: number;
  /** The shortest objective that scrapes must keep, in ms; missing if pulses keep all of them. */
  readonly scrapedMs?: number;
  /** The interval of the pulse that keeps the others, in ms. */
  readonly pulsedMs?: number;
  readonly hours?: Openness;
}

/** Returns the objectives of a schedule, those that its source's pulse keeps told apart. */
export function startingObjectives(schedule: TargetSchedule, pulse: PulsedFields | undefined): StartingObjectives {
  const shortestMs = shortestObjectiveMs(schedule);
  const scrapedMs = pulse === undefined ? shortestMs : shortestScrapedMs(schedule, pulse);
  return defined({ shortestMs, scrapedMs, pulsedMs: pulse?.everyMs, hours: opennessOf(schedule.hours) });
}

/**
 * Returns what a forecast compares the turns of targets with: their objective, and when that asks for turns.
 *
 * @param demands - the demands of the host, the shortest objective first.
 * @param infeasible - the finding that the host does not allow the objective; missing where it does.
 */
export function forecastObjectives(
  { shortestMs = Infinity, scrapedMs, pulsedMs, hours }: StartingObjectives,
  { host, demands }: { readonly host: HostPace; readonly demands: readonly Demand[] },
  infeasible: { readonly neededMs: number } | undefined,
): Pick<ForecastTarget, 'objectiveMs' | 'verifiedMs' | 'recheckMs'> {
  const objectiveMs = scrapedMs ?? shortestMs;
  const afterMs =
    scrapedMs === undefined
      ? undefined
      : scrapedMs - leadAmong({ shortestMs, objectiveMs: scrapedMs, hours }, host, demands);
  return defined({
    // An infeasible objective counts neither as kept nor as broken: how late its targets will be, if at all, is not known.
    objectiveMs: infeasible !== undefined || objectiveMs === Infinity ? undefined : objectiveMs,
    verifiedMs: scrapedMs === undefined ? pulsedMs : undefined,
    // A target falls due again only after its scrape, and the scrapes of all targets take `neededMs`.
    recheckMs: afterMs && Math.max(afterMs, infeasible?.neededMs ?? 0),
  });
}
