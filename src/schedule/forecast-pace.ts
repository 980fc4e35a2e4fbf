import type { OpenHours } from './available.ts';
import type { CronTimes } from './cron.ts';
import type { CronTurns } from './cron-turns.ts';
import { CronBook } from './forecast-cron.ts';
import { drawnEveryMs, type ForecastRecheck } from './forecast-recheck.ts';
import { nextGridTurn } from './grid.ts';
import { MinuteHours } from './minute-hours.ts';
import { dayMinutes, type ForecastSpan, type HostMinutes, type HostTurns, MinuteSums } from './minute-sums.ts';
import { type Bucket, spendDay, type TokenLimits } from './tokens.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** What comes more often is taken to come evenly, so that a forecast of many takes no longer than of few. */
const evenBelowMs = 3_600_000;

/** Of a pattern with more turns a day, re-checks are taken to come evenly. */
const maxDailyTurns = 24;

/** What a forecast knows of how a target falls due. */
export type ForecastPace =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly nextAt: number }
  | ({ readonly kind: 'cron' } & CronTimes)
  | { readonly kind: 'tokens'; readonly bucket: Bucket; readonly priority: number; readonly limits?: TokenLimits }
  | { readonly kind: 'continuous'; readonly sleepMs: number; readonly tookMs: number }
  /** Its objective alone. */
  | { readonly kind: 'objective' };

/** What each turn of a target takes, and what moves it. */
export interface ForecastTurn {
  readonly requests: number;
  /** None for always. */
  readonly hours: readonly OpenHours[];
  readonly recheck?: ForecastRecheck | undefined;
  /** Of one that was never scraped: its first turn, after which its pace begins. */
  readonly firstAt?: number | undefined;
}

/** What a target comes to: how many turns it has, and the longest time between two. */
interface Added {
  readonly turns: number;
  readonly gapMs: number;
}

/** Adds up the requests of one host after the other, pace by pace. Its memory depends on the days alone. */
export class MinuteBook {
  /** Turns that were laid down one by one. */
  work = 0;
  readonly #span: ForecastSpan;
  readonly #sums: MinuteSums;
  readonly #hours: MinuteHours;
  readonly #cron: CronBook;

  constructor(span: ForecastSpan) {
    this.#span = span;
    this.#sums = new MinuteSums(span);
    this.#hours = new MinuteHours(span.at, this.#sums.minutes);
    this.#cron = new CronBook(span, this.#sums, this.#hours);
  }

  /** Adds a target, in steps where its hours or its pattern are new; tells too whether its objective sees to its turns. */
  *add(pace: ForecastPace, turn: ForecastTurn): Generator<undefined, Added & { readonly isDrawn: boolean }> {
    const { hours, recheck, firstAt = -Infinity } = turn;
    if (hours.length > 0) yield* this.#hours.follow(hours);
    const { turns, gapMs } =
      pace.kind === 'cron' ? this.#addCron(yield* this.#cron.follow(pace, hours), turn) : this.#addPace(pace, turn);
    const closedMs = hours.length === 0 ? 0 : this.#hours.closedMs(hours);
    const againMs = Math.min(gapMs, recheck?.afterMs ?? Infinity) + closedMs;
    const isDrawn = (recheck?.afterMs ?? Infinity) < gapMs;
    return { turns, gapMs: Math.max(againMs, firstAt - this.#span.at), isDrawn };
  }

  /**
   * What was added up since the last host, which is forgotten.
   *
   * @param total - to which the requests that are made in each minute are added.
   */
  *close(host: HostTurns, total?: Float64Array): Generator<undefined, HostMinutes> {
    yield* this.#cron.settle();
    yield;
    return this.#sums.close(host, total);
  }

  #addPace(pace: Exclude<ForecastPace, { kind: 'cron' }>, turn: ForecastTurn): Added {
    const { afterMs = Infinity } = turn.recheck ?? {};
    switch (pace.kind) {
      case 'interval':
        if (Math.min(pace.everyMs, afterMs) >= evenBelowMs) return this.#addInterval(pace.everyMs, pace.nextAt, turn);
        return this.#addEvenly(drawnEveryMs(pace.everyMs, afterMs), turn);
      case 'continuous':
        return this.#addEvenly(Math.min(pace.sleepMs + pace.tookMs, afterMs), turn);
      case 'objective':
        return this.#addEvenly(afterMs, turn);
      case 'tokens':
        return this.#addTokens(pace, turn);
      default:
        return pace satisfies never;
    }
  }

  /** One that is overdue is made up for once. */
  #addInterval(everyMs: number, nextAt: number, turn: ForecastTurn): Added {
    const grid = { originAt: nextAt, everyMs, phaseMs: 0 };
    let dueAt = nextAt;
    const after = (doneAt: number, isDrawn: boolean): number => {
      // The usual case, of which there are many.
      if (doneAt === dueAt && !isDrawn) dueAt += everyMs;
      else dueAt = nextGridTurn(grid, doneAt, isDrawn ? doneAt : undefined);
      return dueAt;
    };
    return { turns: this.#addTurns(nextAt, after, turn), gapMs: everyMs };
  }

  #addCron(cron: CronTurns, turn: ForecastTurn): Added {
    const { instants, gapMs } = cron;
    const { requests, recheck, firstAt } = turn;
    const { afterMs = Infinity } = recheck ?? {};
    const isFew = afterMs >= evenBelowMs && instants.length <= maxDailyTurns * this.#span.days;
    if (afterMs < gapMs && isFew) {
      let next = 0;
      const after = (doneAt: number): number => {
        while ((instants[next] ?? Infinity) <= doneAt) next += 1;
        return instants[next] ?? Infinity;
      };
      return { turns: this.#addTurns(instants[0] ?? Infinity, after, turn), gapMs };
    }
    const first = firstAt === undefined ? 0 : this.#addTurn(firstAt, turn);
    let turns = this.#cron.ask(cron, firstAt === undefined ? -Infinity : first, requests);
    if (firstAt !== undefined && first < Infinity) turns += 1;
    if (afterMs < gapMs) turns += this.#addEvenly(this.#recheckedMs(instants, afterMs), turn).turns;
    return { turns, gapMs };
  }

  /** How often it is asked between the turns of its pattern, on average. */
  #recheckedMs(instants: Float64Array, afterMs: number): number {
    const { at, days } = this.#span;
    let [rechecks, doneAt] = [0, at];
    for (let index = 0; index <= instants.length; index += 1) {
      const instant = instants[index] ?? at + days * dayMs;
      rechecks += Math.max(0, Math.ceil((instant - doneAt) / afterMs) - 1);
      doneAt = instant;
    }
    this.work += instants.length;
    return (days * dayMs) / rechecks;
  }

  /**
   * Adds one turn after the other, each by the pace or, where that comes sooner, by the objective.
   *
   * @param next - when the pace asks first.
   * @param after - when it asks after a turn, which the objective may have drawn forward.
   */
  #addTurns(next: number, after: (doneAt: number, isDrawn: boolean) => number, turn: ForecastTurn): number {
    const { at } = this.#span;
    const { afterMs, nextAt = at + afterMs } = turn.recheck ?? { afterMs: Infinity };
    let [turns, dueAt, againAt] = turn.firstAt === undefined ? [0, next, nextAt] : [0, turn.firstAt, Infinity];
    for (;;) {
      const isDrawn = againAt < dueAt;
      const doneAt = this.#addTurn(Math.max(at, Math.min(dueAt, againAt)), turn);
      if (doneAt === Infinity) break;
      turns += 1;
      dueAt = after(doneAt, isDrawn);
      againAt = doneAt + afterMs;
    }
    this.work += turns;
    return turns;
  }

  /** A day's scrapes are spread evenly over it by the plan. Until the first one, what the days bring is kept. */
  #addTokens({ bucket, priority, limits }: ForecastPace & { kind: 'tokens' }, turn: ForecastTurn): Added {
    const { requests, recheck, firstAt } = turn;
    const { at, days } = this.#span;
    const { afterMs, nextAt = at + afterMs } = recheck ?? { afterMs: Infinity };
    const firstDay = firstAt === undefined ? -1 : Math.max(0, Math.floor((firstAt - at) / dayMs));
    let [turns, kept, worst, quiet] = [0, bucket, 1, 1];
    let againAt = firstAt === undefined ? nextAt : Math.max(at, firstAt) + afterMs;
    for (let day = 0; day < days; day += 1) {
      let scrapes = day === firstDay ? 1 : 0;
      if (day > 0 || firstDay < 0) {
        const spent = spendDay(
          kept,
          { day: kept.day + 1, priority, ...(day <= firstDay && { state: 'waiting' }) },
          limits,
        );
        kept = spent.bucket;
        scrapes += spent.scrapes;
      }
      quiet = scrapes > 0 || day < firstDay ? 1 : quiet + 1;
      worst = Math.max(worst, quiet);
      const from = at + day * dayMs;
      let count = scrapes;
      for (let each = 1; each <= scrapes + 1; each += 1) {
        const until = from + Math.min(1, (each - 0.5) / scrapes) * dayMs;
        const rechecks = againAt < until ? Math.ceil((until - againAt) / afterMs) : 0;
        count += rechecks;
        if (rechecks > 0) againAt += rechecks * afterMs;
        if (each <= scrapes) againAt = until + afterMs;
      }
      turns += count;
      if (count > 0) this.#sums.addEvenly(day * dayMinutes, (day + 1) * dayMinutes, (count * requests) / dayMinutes);
    }
    this.work += days;
    // From early on one day to late on another.
    return { turns, gapMs: (worst + 1) * dayMs };
  }

  #addEvenly(everyMs: number, { requests, hours, firstAt = -Infinity }: ForecastTurn): Added {
    const { minutes } = this.#sums;
    const first = Math.max(0, Math.floor((firstAt - this.#span.at) / minuteMs));
    const perMinute = minuteMs / everyMs;
    let turns = 0;
    for (const [from, to] of hours.length === 0 ? [[0, minutes] as const] : this.#hours.openings(hours)) {
      this.work += 1;
      if (to <= first) continue;
      this.#sums.addEvenly(Math.max(from, first), to, perMinute * requests);
      turns += (to - Math.max(from, first)) * perMinute;
    }
    return { turns, gapMs: everyMs };
  }

  /** When it is taken: once its hours begin; never, when that is not within the span. */
  #addTurn(dueAt: number, { requests, hours }: ForecastTurn): number {
    if (dueAt === Infinity) return Infinity;
    const { at } = this.#span;
    const due = Math.max(0, Math.floor((dueAt - at) / minuteMs));
    const minute = hours.length === 0 ? due : this.#hours.opensAt(hours, due);
    if (minute < 0 || minute >= this.#sums.minutes) return Infinity;
    this.#sums.add(minute, requests);
    return minute === due ? dueAt : at + minute * minuteMs;
  }
}
