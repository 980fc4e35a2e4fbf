import type { OpenHours } from './available.ts';
import {
  dayMinutes,
  type ForecastPace,
  type ForecastSpan,
  type HostMinutes,
  MinuteBook,
  type Peak,
} from './forecast-pace.ts';
import type { HostPace } from './objective.ts';

const minuteMs = 60_000;
/** Targets that one step of a forecast looks at: some milliseconds of work. */
const stepTargets = 1_000;

/** A target as a forecast sees it. */
export interface ForecastTarget {
  readonly pace: ForecastPace;
  /** The age that it should not come to; none when missing. */
  readonly objectiveMs?: number;
  /** Requests of one scrape, on average. Default: 1. */
  readonly requests?: number;
  /** Bytes of one scrape, on average. Default: none. */
  readonly bytes?: number;
  readonly hours?: readonly OpenHours[];
}

/** A politeness key, what it allows, and its targets, which are looked at once. */
export interface ForecastHost extends HostPace {
  readonly key: string;
  readonly targets: Iterable<ForecastTarget>;
}

export interface KeptObjectives {
  readonly kept: number;
  readonly broken: number;
  /** By how much the age of the worst goes beyond its objective; 0 when all are kept. */
  readonly worstByMs: number;
}

/** What is to come for one politeness key. */
export interface HostForecast extends HostMinutes {
  readonly key: string;
  readonly targets: number;
  readonly bytes: number;
  /** The part of what the host allows that its busiest day takes; above 1 the day does not suffice. */
  readonly load: number;
  readonly objectives: KeptObjectives;
}

/** What is to come for all; its memory depends on the days, not on the hosts and targets. */
export interface Forecast {
  readonly hosts: number;
  readonly targets: number;
  readonly requests: readonly number[];
  readonly bytes: number;
  readonly peak: Peak;
  readonly objectives: KeptObjectives;
  /** Those with the highest load, the highest first. */
  readonly busiest: readonly HostForecast[];
}

/** What is to come, host by host: each is forgotten before the next is looked at. */
export function* forecastHosts(hosts: Iterable<ForecastHost>, span: ForecastSpan): Generator<HostForecast> {
  const book = new MinuteBook(span);
  for (const host of hosts) yield toEnd(hostSteps(host, book));
}

/**
 * What the coming days will be.
 *
 * @param keep - how many of the busiest hosts to tell of.
 */
export function forecast(hosts: Iterable<ForecastHost>, span: ForecastSpan, keep = 20): Forecast {
  return toEnd(forecastSteps(hosts, span, keep));
}

/** The same in steps, so that it may be put aside between two of them. */
export function* forecastSteps(
  hosts: Iterable<ForecastHost>,
  span: ForecastSpan,
  keep = 20,
): Generator<undefined, Forecast> {
  const book = new MinuteBook(span);
  const minutes = new Float64Array(span.days * dayMinutes);
  const requests = Array.from({ length: span.days }, () => 0);
  let busiest: HostForecast[] = [];
  let [hostCount, targets, bytes, kept, broken, worstByMs] = [0, 0, 0, 0, 0, 0];
  for (const host of hosts) {
    const each = yield* hostSteps(host, book, minutes);
    for (const [day, count] of each.requests.entries()) requests[day] = (requests[day] ?? 0) + count;
    hostCount += 1;
    targets += each.targets;
    bytes += each.bytes;
    kept += each.objectives.kept;
    broken += each.objectives.broken;
    worstByMs = Math.max(worstByMs, each.objectives.worstByMs);
    busiest.push(each);
    if (busiest.length >= 2 * keep) busiest = theBusiest(busiest, keep);
  }
  const peak = peakOf(minutes, span);
  const objectives = { kept, broken, worstByMs };
  return { hosts: hostCount, targets, requests, bytes, peak, objectives, busiest: theBusiest(busiest, keep) };
}

function* hostSteps(
  { key, targets, ...pace }: ForecastHost,
  book: MinuteBook,
  total?: Float64Array,
): Generator<undefined, HostForecast> {
  let [count, bytes] = [0, 0];
  /** For each objective, what lies between it and the longest time between two turns. */
  const slacks: number[] = [];
  for (const target of targets) {
    const { turns, gapMs } = book.add(target.pace, target.requests ?? 1, target.hours);
    count += 1;
    if (count % stepTargets === 0) yield;
    bytes += turns * (target.bytes ?? 0);
    if (target.objectiveMs !== undefined) slacks.push(target.objectiveMs - gapMs);
  }
  yield;
  const perMinute = pace.delayMs === 0 ? Infinity : (minuteMs * pace.concurrency) / pace.delayMs;
  const minutes = book.close(perMinute, total);
  return {
    key,
    targets: count,
    bytes: Math.round(bytes),
    ...minutes,
    load: Math.max(0, ...minutes.requests) / (perMinute * dayMinutes),
    objectives: keptObjectives(slacks, minutes.longestWaitMs),
  };
}

function toEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function keptObjectives(slacks: readonly number[], waitMs: number): KeptObjectives {
  let [kept, worstByMs] = [0, 0];
  for (const slack of slacks) {
    if (slack >= waitMs) kept += 1;
    else worstByMs = Math.max(worstByMs, waitMs - slack);
  }
  return { kept, broken: slacks.length - kept, worstByMs };
}

function peakOf(minutes: Float64Array, { at }: ForecastSpan): Peak {
  let [busiest, most] = [0, 0];
  for (const [minute, count] of minutes.entries()) {
    if (count > most + 1e-6) [busiest, most] = [minute, count];
  }
  return { at: at + busiest * minuteMs, requests: Math.round(most) };
}

function theBusiest(hosts: readonly HostForecast[], keep: number): HostForecast[] {
  return hosts.toSorted((a, b) => b.load - a.load).slice(0, keep);
}
