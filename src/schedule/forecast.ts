import { type TargetWalk, type Walked, type WalkedTarget, Walks } from './forecast-walk.ts';
import { type HostPace, type PulseLoad, roundEveryMs } from './host-pace.ts';
import { type ForecastSpan, type HostMinutes, MinuteQueue, type Peak, peakOf } from './minute-queue.ts';
import { type OpenHours, openSpans } from './time/open-hours.ts';
import { type PaceRow, paceOf } from './pace/all.ts';
import type { Planner } from './pace/pace.ts';
import { newPriority } from './priority.ts';

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Work that is done without a break, in turns that are laid down: a millisecond or two. */
const workAtOnce = 50_000;
/** To look at a target takes as long as to lay down so many turns. */
const targetWork = 250;

/** A target as a forecast sees it. */
export interface ForecastTarget extends WalkedTarget {
  /** The age that the target should not come to; none when missing. */
  readonly objectiveMs?: number;
  /** Scrapes a day that the target deserves. Default: as of one of which nothing is known. */
  readonly priority?: number;
  /** How often a pulse verifies the objective's fields, where scrapes need not. */
  readonly verifiedMs?: number;
  /** Requests of one scrape, on average. Default: 1. */
  readonly requests?: number;
  /** Bytes of one scrape, on average. Default: none. */
  readonly bytes?: number;
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
  /** Pulses of the sources that ask this host for one data point of their targets. */
  readonly pulses?: Iterable<ForecastPulse>;
}

/** The numbers of objectives that a forecast finds kept and broken. */
export interface KeptObjectives {
  readonly kept: number;
  readonly broken: number;
  /** The largest excess of an age over its objective, in ms; 0 if all are kept. */
  readonly worstByMs: number;
}

/** The forecast for one politeness key. */
export interface HostForecast extends HostMinutes {
  readonly key: string;
  readonly targets: number;
  /** Of the host's requests, the number that pulses make, and re-checks of single records. */
  readonly pulses: number;
  readonly bytes: number;
  /** Requests of the busiest day divided by the requests allowed in a day. */
  readonly load: number;
  readonly objectives: KeptObjectives;
}

/** The forecast for all hosts together. Its memory grows with the days, not with the hosts and targets. */
export interface Forecast {
  readonly hosts: number;
  readonly targets: number;
  /** Requests that fall due, by day, whether their hosts have turns for them or not. */
  readonly requests: readonly number[];
  /** By day, the requests that are not made by its end, as their hosts have no turns left. */
  readonly undone: readonly number[];
  /** Hosts that are asked for more in a day than they allow. */
  readonly overloaded: number;
  /** Of the requests, the number that pulses make, and re-checks of single records. */
  readonly pulses: number;
  readonly bytes: number;
  readonly peak: Peak;
  readonly objectives: KeptObjectives;
  /** The hosts with the highest load, the highest first. */
  readonly busiest: readonly HostForecast[];
}

/**
 * Forecasts the coming days of all hosts.
 *
 * @param keep - how many of the busiest hosts `busiest` lists.
 */
export function forecast(hosts: Iterable<ForecastHost>, span: ForecastSpan, keep = 20): Forecast {
  return toEnd(forecastSteps(hosts, span, keep));
}

/** Does the work of `forecast` in steps, mostly shorter than 1 ms, so that a caller can yield to the event loop between two steps. */
export function* forecastSteps(
  hosts: Iterable<ForecastHost>,
  span: ForecastSpan,
  keep = 20,
): Generator<undefined, Forecast> {
  const book = new HostBook(span);
  const minutes = new Float64Array(span.days * (dayMs / minuteMs));
  const requests = Array.from({ length: span.days }, () => 0);
  const undone = Array.from({ length: span.days }, () => 0);
  let busiest: HostForecast[] = [];
  let [hostCount, overloaded, targets, pulses, bytes, kept, broken, worstByMs] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const host of hosts) {
    const each = yield* book.add(host, minutes);
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

/** The sums over one host's targets, before waits for its turns are known. */
class HostSums {
  targets = 0;
  bytes = 0;
  pulses = 0;
  /** The most requests that can wait for turns of the host: those of one scrape of each target and of one round of each pulse. */
  atMost = 0;
  /** For each objective, its age less the longest time between two verifications, in ms; infinite if it is surely kept. */
  readonly slacksMs: number[] = [];
  readonly #span: ForecastSpan;

  constructor(span: ForecastSpan) {
    this.#span = span;
  }

  add(target: ForecastTarget, { walk, firstMs }: Walked): void {
    const { objectiveMs, verifiedMs = Infinity, requests = 1, verifiedAt, gone } = target;
    this.targets += 1;
    this.atMost += requests;
    if (objectiveMs === undefined) return;
    const { at, days } = this.#span;
    // A target of which no verification is known counts as verified at the begin of the span. Ages grow up to the end of the span alone.
    const seenMs = walk.beforeMs ?? (verifiedAt ?? at) - at;
    // Where the page is gone, no turn verifies it.
    const gapMs =
      gone === undefined ? Math.max(Math.min(firstMs, days * dayMs) - seenMs, walk.gapMs) : days * dayMs - seenMs;
    // Where the host allows the objective, a re-check of one request gets its turn in time, however many other requests wait.
    const isSure = walk.isDrawn && requests <= 1 && gapMs <= objectiveMs;
    this.slacksMs.push(isSure ? Infinity : objectiveMs - Math.min(gapMs, verifiedMs));
  }
}

/** Makes the forecasts of hosts, one after the other. */
class HostBook {
  readonly #span: ForecastSpan;
  readonly #queue: MinuteQueue;
  readonly #walks: Walks;
  /** By schedule, as `Walks` names it. */
  readonly #planners = new Map<string, Planner<PaceRow>>();
  #work = 0;

  constructor(span: ForecastSpan) {
    this.#span = span;
    this.#queue = new MinuteQueue(span);
    this.#walks = new Walks(span);
  }

  /** @param total - receives the requests that are made in each minute, added to what is in it. */
  *add(host: ForecastHost, total?: Float64Array): Generator<undefined, HostForecast> {
    const { key, targets, pulses = [], ...pace } = host;
    const sums = new HostSums(this.#span);
    yield* this.#addTargets(targets, sums);
    for (const pulse of pulses) this.#addPulse(pulse, pace, sums);
    yield;
    const perMinute = pace.delayMs === 0 ? Infinity : minuteMs / pace.delayMs;
    const minutes = this.#queue.close({ perMinute, atMost: sums.atMost }, total);
    yield;
    return {
      key,
      targets: sums.targets,
      pulses: Math.round(sums.pulses),
      bytes: Math.round(sums.bytes),
      ...minutes,
      load: loadOf(Math.max(0, ...minutes.requests), perMinute * (dayMs / minuteMs)),
      objectives: keptObjectives(sums.slacksMs, minutes.longestWaitMs),
    };
  }

  *#addTargets(targets: Iterable<ForecastTarget>, sums: HostSums): Generator<undefined> {
    const together = new JointTurnsBook();
    const groups = new Map<string, ForecastTarget[]>();
    for (const target of targets) {
      if (paceOf(target.given).planner === undefined) {
        const walked = yield* this.#walks.of(target);
        sums.add(target, walked);
        together.add(walked, target);
      } else {
        const key = this.#walks.scheduleOf(target);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [target]);
        else group.push(target);
      }
      if (this.#isDue(targetWork)) yield;
    }
    for (const joint of together.all()) {
      if (this.#isDue(joint.walked.walk.turnsMs.length)) yield;
      this.#addTurns(joint, sums);
    }
    for (const [schedule, group] of groups) yield* this.#addPlanned(schedule, group, sums);
  }

  /** Adds the targets of one schedule whose turns are planned for all of them together. */
  *#addPlanned(schedule: string, group: readonly ForecastTarget[], sums: HostSums): Generator<undefined> {
    const rows = group.map(({ row: { pace, ...row }, priority = newPriority }) => ({ ...row, row: pace, priority }));
    const turns = (yield* this.#plannerOf(schedule, group)?.turnsOf(rows) ?? []) ?? [];
    for (const [place, target] of group.entries()) {
      const walked = yield* this.#walks.ofPlanned(target, turns[place] ?? []);
      sums.add(target, walked);
      this.#addTurns({ walked, requests: target.requests ?? 1, bytes: target.bytes ?? 0 }, sums);
      if (this.#isDue(targetWork)) yield;
    }
  }

  #plannerOf(schedule: string, [target]: readonly ForecastTarget[]): Planner<PaceRow> | undefined {
    const known = this.#planners.get(schedule);
    if (known !== undefined || target === undefined) return known;
    const { given, hours = [], walkedFrom } = target;
    const { at, days } = this.#span;
    const planner = paceOf(given).planner?.(given, { from: walkedFrom ?? at, to: at + days * dayMs, hours });
    if (planner !== undefined) this.#planners.set(schedule, planner);
    return planner;
  }

  #addTurns({ walked: { walk, firstMs, shiftMs }, requests, bytes }: JointTurns, sums: HostSums): void {
    sums.bytes += this.#queue.addTurns(walk, { firstMs, shiftMs, requests }) * bytes;
  }

  /**
   * Adds the requests of a pulse in the span. Rounds in closed hours are left out. Rounds less than an hour apart, or with opening hours, are
   * spread evenly over the open minutes, because the instant of the next round is not known.
   */
  #addPulse(pulse: ForecastPulse, pace: HostPace, sums: HostSums): void {
    const { requests, hours = [], bytes = 0 } = pulse;
    const { at, days } = this.#span;
    const until = at + days * dayMs;
    const everyMs = roundEveryMs(pulse, pace);
    let rounds = 0;
    if (everyMs < hourMs || hours.length > 0) {
      for (const { from, to } of openSpans(hours, { from: at, to: until })) {
        const [first, last] = [Math.ceil((from - at) / minuteMs), Math.ceil((to - at) / minuteMs)];
        this.#queue.addEvenly(first, Math.min(last, this.#queue.minutes), (requests * minuteMs) / everyMs);
        rounds += (to - from) / everyMs;
      }
    } else
      for (let next = at + everyMs; next < until; next += everyMs) {
        this.#queue.add(Math.floor((next - at) / minuteMs), requests);
        rounds += 1;
      }
    sums.atMost += requests;
    sums.pulses += rounds * requests;
    sums.bytes += rounds * requests * bytes;
  }

  /** Counts work; returns whether it is time for others to have their turn. */
  #isDue(work: number): boolean {
    this.#work += work;
    if (this.#work < workAtOnce) return false;
    this.#work = 0;
    return true;
  }
}

/** The coinciding turns of one or more targets of a host. */
interface JointTurns {
  readonly walked: Walked;
  /** Requests and bytes of one turn of all these targets. */
  requests: number;
  bytes: number;
}

/**
 * Sums up targets of one host whose turns coincide: those that take the same walk without a shift, and those that take it with
 * shifts of the same whole second and first turns in the same minute.
 */
class JointTurnsBook {
  readonly #byWalk = new Map<TargetWalk, Map<number, JointTurns>>();

  add(walked: Walked, { requests = 1, bytes = 0 }: ForecastTarget): void {
    const { walk, firstMs, shiftMs } = walked;
    if (firstMs === Infinity) return;
    const isMoved = shiftMs !== 0 || firstMs !== walk.turnsMs[0];
    const key = isMoved ? Math.floor(firstMs / minuteMs) * 2 ** 33 + Math.floor(shiftMs / secondMs) : -Infinity;
    const ofWalk = this.#byWalk.get(walk) ?? new Map<number, JointTurns>();
    const joint = ofWalk.get(key);
    if (joint === undefined) this.#byWalk.set(walk, ofWalk.set(key, { walked, requests, bytes }));
    else {
      joint.requests += requests;
      joint.bytes += bytes;
    }
  }

  *all(): Generator<JointTurns> {
    for (const ofWalk of this.#byWalk.values()) yield* ofWalk.values();
  }
}

/** Returns requests divided by allowed requests, both of one day. The result is at most 1 up to the next whole number above `allowed`. */
function loadOf(requests: number, allowed: number): number {
  return requests <= Math.ceil(allowed) ? Math.min(1, requests / allowed) : requests / allowed;
}

function toEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function keptObjectives(slacksMs: readonly number[], waitMs: number): KeptObjectives {
  let [kept, worstByMs] = [0, 0];
  for (const slackMs of slacksMs) {
    if (slackMs >= waitMs) kept += 1;
    else worstByMs = Math.max(worstByMs, waitMs - slackMs);
  }
  return { kept, broken: slacksMs.length - kept, worstByMs };
}

function theBusiest(hosts: readonly HostForecast[], keep: number): HostForecast[] {
  return hosts.toSorted((a, b) => b.load - a.load).slice(0, keep);
}
