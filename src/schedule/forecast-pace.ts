import { nextAvailable, type OpenHours } from './available.ts';
import { type CronTimes, cronTimes, nextCron } from './cron.ts';
import { type Bucket, spendDay, type TokenLimits } from './tokens.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
export const dayMinutes = 1_440;
/** What comes more often is taken to come evenly, so that a forecast of many takes no longer than of few. */
const evenBelowMs = 3_600_000;
/** A pattern for every minute has 43,200 instants in a month. */
const keptPatterns = 256;

/** What a forecast knows of how a target falls due. */
export type ForecastPace =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly nextAt: number }
  | ({ readonly kind: 'cron' } & CronTimes)
  | { readonly kind: 'tokens'; readonly bucket: Bucket; readonly priority: number; readonly limits?: TokenLimits }
  | { readonly kind: 'continuous'; readonly sleepMs: number; readonly tookMs: number }
  | { readonly kind: 'objective'; readonly objectiveMs: number; readonly leadMs: number };

/** The time that a forecast is of. */
export interface ForecastSpan {
  /** The present, of a virtual clock as well as of the machine's. */
  readonly at: number;
  /** Days of 24 hours from then on. */
  readonly days: number;
}

/** A minute and the requests that fall due in it. */
export interface Peak {
  readonly at: number;
  readonly requests: number;
}

/** What the minutes of one host come to. */
export interface HostMinutes {
  /** Requests that fall due, by day. */
  readonly requests: readonly number[];
  /** The minute in which most fall due. */
  readonly peak: Peak;
  /** The longest that a request waits for its turn. */
  readonly longestWaitMs: number;
}

/** The instants of a pattern within the span, and the longest time between two. */
interface CronInstants {
  readonly instants: readonly number[];
  readonly gapMs: number;
}

/** Adds up the requests of one host after the other, by minute. Its memory depends on the days alone. */
export class MinuteBook {
  readonly #span: ForecastSpan;
  /** Requests at a minute, from turns whose instants are known. */
  readonly #exact: Float64Array;
  /** What comes evenly from a minute on, less what ends there. */
  readonly #slope: Float64Array;
  readonly #cron = new Map<string, CronInstants>();
  readonly #opens = new WeakMap<readonly OpenHours[], Int32Array>();

  constructor(span: ForecastSpan) {
    this.#span = span;
    this.#exact = new Float64Array(span.days * dayMinutes);
    this.#slope = new Float64Array(span.days * dayMinutes + 1);
  }

  /** Adds a target whose turns take so many requests each; tells how many turns it has, and the longest time between two. */
  add(pace: ForecastPace, requests: number, hours: readonly OpenHours[] = []): { turns: number; gapMs: number } {
    const closedMs = hours.length === 0 ? 0 : this.#closedMs(hours);
    const { turns, gapMs } = this.#addPace(pace, requests, hours);
    return { turns, gapMs: gapMs + closedMs };
  }

  /**
   * What was added up since the last host, which is forgotten.
   *
   * @param perMinute - requests that the host allows; what a minute does not get done waits for the next.
   * @param total - to which the requests of each minute are added.
   */
  close(perMinute: number, total?: Float64Array): HostMinutes {
    const requests = Array.from({ length: this.#span.days }, () => 0);
    let [even, waiting, longest, most, busiest] = [0, 0, 0, 0, 0];
    for (let day = 0, minute = 0; day < requests.length; day += 1) {
      let sum = 0;
      for (const end = minute + dayMinutes; minute < end; minute += 1) {
        even += this.#slope[minute] ?? 0;
        const due = even + (this.#exact[minute] ?? 0);
        sum += due;
        waiting = Math.max(0, waiting + due - perMinute);
        if (waiting > longest) longest = waiting;
        // Sums that are off by a rounding are equal, and of equals the first is told.
        if (due > most + 1e-6) [most, busiest] = [due, minute];
        if (total !== undefined) total[minute] = (total[minute] ?? 0) + due;
      }
      requests[day] = Math.round(sum);
    }
    this.#exact.fill(0);
    this.#slope.fill(0);
    return {
      requests,
      peak: { at: this.#span.at + busiest * minuteMs, requests: Math.round(most) },
      longestWaitMs: Math.round((longest / perMinute) * minuteMs),
    };
  }

  #addPace(pace: ForecastPace, requests: number, hours: readonly OpenHours[]): { turns: number; gapMs: number } {
    switch (pace.kind) {
      case 'interval':
        if (pace.everyMs < evenBelowMs) return this.#addEvenly(pace.everyMs, requests, hours);
        return this.#addInterval(pace.everyMs, pace.nextAt, requests, hours);
      case 'continuous':
        return this.#addEvenly(pace.sleepMs + pace.tookMs, requests, hours);
      case 'objective':
        return this.#addEvenly(pace.objectiveMs - pace.leadMs, requests, hours);
      case 'cron':
        return this.#addCron(pace, requests, hours);
      case 'tokens':
        return this.#addTokens(pace, requests);
      default:
        return pace satisfies never;
    }
  }

  #addInterval(everyMs: number, nextAt: number, requests: number, hours: readonly OpenHours[]) {
    const { at, days } = this.#span;
    const until = at + days * dayMs;
    let turns = 0;
    // One that is overdue is made up for once.
    const missed = nextAt < at ? Math.floor((at - nextAt) / everyMs) : 0;
    for (let turn = nextAt + missed * everyMs; turn < until; turn += everyMs) {
      turns += this.#addTurn(Math.max(turn, at), requests, hours);
    }
    return { turns, gapMs: everyMs };
  }

  #addCron(times: CronTimes, requests: number, hours: readonly OpenHours[]) {
    const { instants, gapMs } = this.#instantsOf(times);
    let turns = 0;
    for (const instant of instants) turns += this.#addTurn(instant, requests, hours);
    return { turns, gapMs };
  }

  /** Patterns are shared by many targets, and dear to follow. */
  #instantsOf(times: CronTimes): CronInstants {
    const key = `${times.zone} ${times.pattern}`;
    const known = this.#cron.get(key);
    if (known !== undefined) return known;
    const { at, days } = this.#span;
    const instants = [...cronTimes(times, at, at + days * dayMs - 1)];
    const first = instants[0] ?? nextCron(times, at) ?? Infinity;
    const pairs = instants.length > 1 ? instants : [first, nextCron(times, first) ?? Infinity];
    const gapMs = pairs.reduce((gap, each, index) => Math.max(gap, each - (pairs[index - 1] ?? each)), 0);
    if (this.#cron.size >= keptPatterns) this.#cron.clear();
    this.#cron.set(key, { instants, gapMs });
    return { instants, gapMs };
  }

  /** A day's scrapes are spread evenly over it by the plan. */
  #addTokens({ bucket, priority, limits }: ForecastPace & { kind: 'tokens' }, requests: number) {
    let [turns, kept, worst, quiet] = [0, bucket, 1, 1];
    for (let day = 0; day < this.#span.days; day += 1) {
      const spent = spendDay(kept, { day: kept.day + 1, priority }, limits);
      kept = spent.bucket;
      turns += spent.scrapes;
      quiet = spent.scrapes > 0 ? 1 : quiet + 1;
      worst = Math.max(worst, quiet);
      if (spent.scrapes > 0) this.#addSlope(day * dayMinutes, (day + 1) * dayMinutes, spent.scrapes * requests);
    }
    // From early on one day to late on another.
    return { turns, gapMs: (worst + 1) * dayMs };
  }

  #addEvenly(everyMs: number, requests: number, hours: readonly OpenHours[]) {
    const minutes = this.#exact.length;
    if (hours.length === 0) {
      const turns = (minutes * minuteMs) / everyMs;
      this.#addSlope(0, minutes, turns * requests);
      return { turns, gapMs: everyMs };
    }
    let turns = 0;
    for (const [minute, opens] of this.#opensOf(hours).entries()) {
      if (opens !== minute) continue;
      this.#exact[minute] = (this.#exact[minute] ?? 0) + (minuteMs / everyMs) * requests;
      turns += minuteMs / everyMs;
    }
    return { turns, gapMs: everyMs };
  }

  #addSlope(from: number, to: number, requests: number): void {
    const perMinute = requests / (to - from);
    this.#slope[from] = (this.#slope[from] ?? 0) + perMinute;
    this.#slope[to] = (this.#slope[to] ?? 0) - perMinute;
  }

  #addTurn(turn: number, requests: number, hours: readonly OpenHours[]): number {
    const asked = Math.floor((turn - this.#span.at) / minuteMs);
    const minute = hours.length === 0 ? asked : (this.#opensOf(hours)[asked] ?? -1);
    if (minute < 0 || minute >= this.#exact.length) return 0;
    this.#exact[minute] = (this.#exact[minute] ?? 0) + requests;
    return 1;
  }

  /** By minute, the minute from which what is due in it may be asked; −1 when not within the span. */
  #opensOf(hours: readonly OpenHours[]): Int32Array {
    const known = this.#opens.get(hours);
    if (known !== undefined) return known;
    const opens = new Int32Array(this.#exact.length).fill(-1);
    for (let minute = 0; minute < opens.length;) {
      const at = this.#span.at + minute * minuteMs;
      const next = Math.ceil(((nextAvailable(hours, at) ?? Infinity) - this.#span.at) / minuteMs);
      const until = Math.min(Math.max(next, minute) + 1, opens.length);
      if (next < opens.length) opens.fill(Math.max(next, minute), minute, until);
      minute = until;
    }
    this.#opens.set(hours, opens);
    return opens;
  }

  #closedMs(hours: readonly OpenHours[]): number {
    let longest = 0;
    for (const [minute, opens] of this.#opensOf(hours).entries()) longest = Math.max(longest, opens - minute);
    return longest * minuteMs;
  }
}
