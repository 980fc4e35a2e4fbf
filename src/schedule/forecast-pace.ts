import type { OpenHours } from './available.ts';
import type { CronTurns } from './cron-turns.ts';
import { CronBook } from './forecast-cron.ts';
import { type Laid, OpeningBook, type OpenTurns } from './forecast-openings.ts';
import { drawnEveryMs } from './forecast-recheck.ts';
import { TokenBook } from './forecast-tokens.ts';
import type { ForecastPace, ForecastTurn } from './forecast-turn.ts';
import { nextGridTurn, slotFraction } from './grid.ts';
import { leadInMinutes, MinuteHours } from './minute-hours.ts';
import { type ForecastSpan, type HostMinutes, type HostTurns, MinuteSums } from './minute-sums.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** What comes more often is taken to come evenly, within hours too but for what they hold back: many take no longer than few. */
const evenBelowMs = 3_600_000;

/** Of a pattern with more turns a day, re-checks are taken to come evenly. */
const maxDailyTurns = 24;

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
  readonly #openings: OpeningBook;
  readonly #tokens: TokenBook;
  /** How many targets there were of which it is not known when they are due next. */
  #unknown = 0;

  constructor(span: ForecastSpan) {
    this.#span = span;
    this.#sums = new MinuteSums(span);
    this.#hours = new MinuteHours(span.at, this.#sums.minutes);
    this.#cron = new CronBook(span, this.#sums, this.#hours);
    this.#openings = new OpeningBook(this.#sums, this.#hours);
    this.#tokens = new TokenBook(span, this.#sums, this.#hours, this.#openings);
  }

  /** Adds a target, in steps where its hours or its pattern are new; tells too whether its objective sees to its turns. */
  *add(pace: ForecastPace, turn: ForecastTurn): Generator<undefined, Added & { readonly isDrawn: boolean }> {
    const { hours, recheck, firstAt = -Infinity } = turn;
    if (hours.length > 0) yield* this.#hours.follow(hours);
    const { turns, gapMs } =
      pace.kind === 'cron' ? this.#addCron(yield* this.#cron.follow(pace, hours), turn) : this.#addPace(pace, turn);
    const closedMs = hours.length === 0 ? 0 : this.#hours.closedMs(hours);
    // The days on which it is closed are among those that lie between two scrapes by tokens.
    const pacedMs = pace.kind === 'tokens' ? gapMs : gapMs + closedMs;
    const drawnMs = (recheck?.afterMs ?? Infinity) + closedMs;
    const againMs = Math.max(Math.min(pacedMs, drawnMs), firstAt - this.#span.at);
    return { turns, gapMs: againMs, isDrawn: drawnMs < pacedMs };
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
    const { afterMs = Infinity, nextAt } = turn.recheck ?? {};
    switch (pace.kind) {
      case 'interval':
        if (Math.min(pace.everyMs, afterMs) >= evenBelowMs) return this.#addInterval(pace.everyMs, pace.nextAt, turn);
        return this.#addOften(drawnEveryMs(pace.everyMs, afterMs), turn, {
          nextAt: Math.min(pace.nextAt, nextAt ?? Infinity),
          grid: { originMs: pace.nextAt - this.#span.at, everyMs: pace.everyMs },
        });
      case 'continuous':
        return this.#addOften(Math.min(pace.sleepMs + pace.tookMs, afterMs), turn);
      case 'objective':
        return this.#addOften(afterMs, turn, { ...(nextAt !== undefined && { nextAt }) });
      case 'tokens': {
        const { turns, gapMs, work } = this.#tokens.add(pace, turn);
        this.work += work;
        return { turns, gapMs };
      }
      case 'pulse':
        if (pace.everyMs < evenBelowMs || turn.hours.length > 0) return this.#addEvenly(pace.everyMs, turn);
        return this.#addInterval(pace.everyMs, pace.nextAt, turn);
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
    if (afterMs < gapMs)
      turns +=
        turn.hours.length === 0
          ? this.#addEvenly(this.#recheckedMs(instants, afterMs), turn).turns
          : this.#addBetween(instants, first, turn);
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
   * What its objective asks for between the turns of its pattern, which were put off until its hours begin.
   *
   * @param first - when a new one is scraped first.
   */
  #addBetween(instants: Float64Array, first: number, { requests, hours, recheck, firstAt }: ForecastTurn): number {
    const { at } = this.#span;
    const { afterMs, nextAt = at + afterMs } = recheck ?? { afterMs: Infinity };
    let [turns, dueAt] = [0, firstAt === undefined ? Math.max(at, nextAt) : first + afterMs];
    for (let index = 0; index <= instants.length; index += 1) {
      const until = instants[index] ?? Infinity;
      if (firstAt !== undefined && until <= first) continue;
      if (dueAt < until)
        turns += this.#lay(hours, requests, { dueMs: dueAt - at, everyMs: afterMs, untilMs: until - at });
      dueAt = until + afterMs;
    }
    this.work += instants.length;
    return turns;
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
      const doneAt = this.#addTurn(Math.max(at, Math.min(dueAt, againAt)), turn);
      if (doneAt === Infinity) break;
      turns += 1;
      // What hours hold back until the pace asks as well is not drawn forward.
      dueAt = after(doneAt, doneAt < dueAt);
      againAt = doneAt + afterMs;
    }
    this.work += turns;
    return turns;
  }

  /**
   * Adds turns that come often, or of which it is not known when; hours hold them back.
   *
   * @param known - when it is due next, where that is known, and its grid, where it has one.
   */
  #addOften(
    everyMs: number,
    turn: ForecastTurn,
    { nextAt, grid }: Pick<OpenTurns, 'grid'> & { readonly nextAt?: number } = {},
  ): Added {
    const { requests, hours, firstAt = nextAt } = turn;
    if (hours.length === 0 || everyMs === Infinity) return this.#addEvenly(everyMs, turn);
    const { at } = this.#span;
    const turns = this.#lay(hours, requests, {
      dueMs: firstAt === undefined ? this.#settlingMs(everyMs) : Math.max(0, firstAt - at),
      everyMs,
      ...(grid && { grid }),
    });
    return { turns, gapMs: everyMs };
  }

  /** When one of which nothing is known begins, so that hours have brought it to where they bring all by the begin of the forecast. */
  #settlingMs(everyMs: number): number {
    this.#unknown += 1;
    return slotFraction(this.#unknown) * everyMs - leadInMinutes * minuteMs;
  }

  #lay(hours: readonly OpenHours[], requests: number, turns: OpenTurns): number {
    const laid: Laid = this.#openings.add(hours, requests, turns);
    this.work += laid.work;
    return laid.turns;
  }

  /** Adds turns evenly over the time in which it is open. */
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
