import type { OpenHours } from './available.ts';
import { MinuteBook } from './forecast-pace.ts';
import type { ForecastRecheck } from './forecast-recheck.ts';
import type { ForecastPace } from './forecast-turn.ts';
import type { HostPace } from './host-pace.ts';
import { dayMinutes, type ForecastSpan, type HostMinutes, type Peak, peakOf } from './minute-sums.ts';
import { type PulseLoad, roundEveryMs } from './pulse-load.ts';

const minuteMs = 60_000;
/** Turns that one step of a forecast lays down: a few milliseconds of work. */
const stepTurns = 50_000;
/** To look at a target takes as long as so many turns. */
const targetTurns = 500;

/** A target as a forecast sees it. */
export interface ForecastTarget {
  readonly pace: ForecastPace;
  /** The age that it should not come to; none when missing. */
  readonly objectiveMs?: number;
  /** Where that draws turns of the pace forward. */
  readonly recheck?: ForecastRecheck;
  /** How often a pulse verifies what is promised, where scrapes need not. */
  readonly verifiedMs?: number;
  /** Requests of one scrape, on average. Default: 1. */
  readonly requests?: number;
  /** Bytes of one scrape, on average. Default: none. */
  readonly bytes?: number;
  readonly hours?: readonly OpenHours[];
  /** When it is scraped for the first time, after which its pace begins; missing for one that was scraped. */
  readonly firstAt?: number;
}

/** A pulse as a forecast sees it. */
export interface ForecastPulse extends PulseLoad {
  /** Bytes of one request, on average. Default: none. */
  readonly bytes?: number;
  readonly hours?: readonly OpenHours[];
}

/** A politeness key, what it allows, and its targets, which are looked at once. */
export interface ForecastHost extends HostPace {
  readonly key: string;
  readonly targets: Iterable<ForecastTarget>;
  /** Of the sources that ask it for one data point of their targets. */
  readonly pulses?: Iterable<ForecastPulse>;
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
  /** Of all its requests, those of pulses. */
  readonly pulses: number;
  readonly bytes: number;
  /** The part of what the host allows that its busiest day takes; above 1 the day does not suffice. */
  readonly load: number;
  readonly objectives: KeptObjectives;
}

/** What is to come for all; its memory depends on the days, not on the hosts and targets. */
export interface Forecast {
  readonly hosts: number;
  readonly targets: number;
  /** Requests that fall due, by day, whether their hosts have turns for them or not. */
  readonly requests: readonly number[];
  /** Of those of each day, how many are not made by its end, as their hosts have no turns left. */
  readonly undone: readonly number[];
  /** Hosts that are asked for more in a day than they allow. */
  readonly overloaded: number;
  /** Of all requests, those of pulses. */
  readonly pulses: number;
  readonly bytes: number;
  readonly peak: Peak;
  readonly objectives: KeptObjectives;
  /** Those with the highest load, the highest first. */
  readonly busiest: readonly HostForecast[];
}

/** What is to come, host by host: each is forgotten before the next is looked at. */
export function* forecastHosts(hosts: Iterable<ForecastHost>, span: ForecastSpan): Generator<HostForecast> {
  const book = new MinuteBook(span);
  for (const host of hosts) yield toEnd(hostSteps(host, book, span));
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
  const undone = Array.from({ length: span.days }, () => 0);
  let busiest: HostForecast[] = [];
  let [hostCount, overloaded, targets, pulses, bytes, kept, broken, worstByMs] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const host of hosts) {
    const each = yield* hostSteps(host, book, span, minutes);
    for (const [day, count] of each.requests.entries()) requests[day] = (requests[day] ?? 0) + count;
    for (const [day, count] of each.undone.entries()) undone[day] = (undone[day] ?? 0) + count;
    hostCount += 1;
    if (each.load > 1) overloaded += 1;
    targets += each.targets;
    pulses += each.pulses;
    bytes += each.bytes;
    kept += each.objectives.kept;
    broken += each.objectives.broken;
    worstByMs = Math.max(worstByMs, each.objectives.worstByMs);
    busiest.push(each);
    if (busiest.length >= 2 * keep) busiest = theBusiest(busiest, keep);
  }
  const peak = peakOf(minutes, span);
  const objectives = { kept, broken, worstByMs };
  return {
    hosts: hostCount,
    targets,
    requests,
    undone,
    overloaded,
    pulses,
    bytes,
    peak,
    objectives,
    busiest: theBusiest(busiest, keep),
  };
}

function* hostSteps(
  { key, targets, pulses = [], ...pace }: ForecastHost,
  book: MinuteBook,
  { at }: ForecastSpan,
  total?: Float64Array,
): Generator<undefined, HostForecast> {
  let [count, bytes, pulsed, atMost] = [0, 0, 0, 0];
  /** For each objective, what lies between it and the longest time between two turns. */
  const slacks: number[] = [];
  for (const target of targets) {
    const { requests = 1, hours = [], recheck, verifiedMs = Infinity, firstAt } = target;
    const { turns, gapMs, isDrawn } = yield* book.add(target.pace, { requests, hours, recheck, firstAt });
    count += 1;
    atMost += requests;
    bytes += turns * (target.bytes ?? 0);
    if (target.objectiveMs !== undefined) {
      // A re-check of one page is sure of its turn in time, however many others wait, where its host allows the objective.
      const isSure = isDrawn && requests <= 1 && gapMs <= target.objectiveMs;
      slacks.push(isSure ? Infinity : target.objectiveMs - Math.min(gapMs, verifiedMs));
    }
    book.work += targetTurns;
    if (book.work >= stepTurns) yield* rest();
  }
  for (const pulse of pulses) {
    const { requests, hours = [] } = pulse;
    const everyMs = roundEveryMs(pulse, pace);
    const { turns } = yield* book.add({ kind: 'pulse', everyMs, nextAt: at + everyMs }, { requests, hours });
    atMost += requests;
    pulsed += turns * requests;
    bytes += turns * requests * (pulse.bytes ?? 0);
  }
  yield* rest();
  const perMinute = pace.delayMs === 0 ? Infinity : minuteMs / pace.delayMs;
  const minutes = yield* book.close({ perMinute, atMost }, total);
  return {
    key,
    targets: count,
    pulses: Math.round(pulsed),
    bytes: Math.round(bytes),
    ...minutes,
    load: loadOf(Math.max(0, ...minutes.requests), perMinute * dayMinutes),
    objectives: keptObjectives(slacks, minutes.longestWaitMs),
  };

  function* rest(): Generator<undefined> {
    book.work = 0;
    yield;
  }
}

/** A day's requests are whole ones: no more than the next whole number above what is allowed is not more than that. */
function loadOf(requests: number, allowed: number): number {
  return requests <= Math.ceil(allowed) ? Math.min(1, requests / allowed) : requests / allowed;
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

function theBusiest(hosts: readonly HostForecast[], keep: number): HostForecast[] {
  return hosts.toSorted((a, b) => b.load - a.load).slice(0, keep);
}
