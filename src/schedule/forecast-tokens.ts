import type { OpenHours } from './available.ts';
import type { Laid, OpeningBook } from './forecast-openings.ts';
import type { ForecastTokens, ForecastTurn } from './forecast-turn.ts';
import type { MinuteHours } from './minute-hours.ts';
import { dayMinutes, type ForecastSpan, type MinuteSums } from './minute-sums.ts';
import { spendDay } from './tokens.ts';
import { dayNumber, dayStart } from './zone.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Days that are remembered, of all hours. */
const maxKept = 100_000;

/** What a target comes to, and the longest time between two turns that are paid for, closed days among them. */
interface Spent extends Laid {
  readonly gapMs: number;
}

/** A calendar day of which some is within the forecast. In minutes from its begin. */
interface OpenDay {
  readonly from: number;
  /** When it is open, from its begin to its end, in order. */
  readonly spans: readonly (readonly [from: number, to: number])[];
  readonly openMinutes: number;
}

/** The turns of targets that are scraped by tokens. */
export class TokenBook {
  readonly #span: ForecastSpan;
  readonly #sums: MinuteSums;
  readonly #hours: MinuteHours;
  readonly #openings: OpeningBook;
  #days = new Map<readonly OpenHours[], { readonly zone: string; readonly days: readonly OpenDay[] }>();
  #kept = 0;

  constructor(span: ForecastSpan, sums: MinuteSums, hours: MinuteHours, openings: OpeningBook) {
    this.#span = span;
    this.#sums = sums;
    this.#hours = hours;
    this.#openings = openings;
  }

  add(tokens: ForecastTokens, turn: ForecastTurn): Spent {
    return turn.hours.length === 0 ? this.#addDaily(tokens, turn) : this.#addOpen(tokens, turn);
  }

  /** A day's scrapes are spread evenly over it by the plan. Until the first one, what the days bring is kept. */
  #addDaily({ bucket, priority, limits }: ForecastTokens, { requests, recheck, firstAt }: ForecastTurn): Spent {
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
    // From early on one day to late on another.
    return { turns, work: days, gapMs: (worst + 1) * dayMs };
  }

  /** The plan spreads a day's scrapes over its open time; a day without any costs no token, and brings one up to the cap. */
  #addOpen({ bucket, priority, limits, zone = 'UTC' }: ForecastTokens, turn: ForecastTurn): Spent {
    const { requests, hours, recheck, firstAt } = turn;
    const { at, days } = this.#span;
    const isNew = firstAt !== undefined;
    const first = isNew ? this.#hours.opensAt(hours, Math.max(0, Math.floor((firstAt - at) / minuteMs))) : 0;
    if (first < 0) return { turns: 0, work: 1, gapMs: days * dayMs };
    if (isNew) this.#sums.add(first, requests);
    let [turns, kept, quietFrom, gap] = [isNew ? 1 : 0, bucket, first, 0];
    const paidMs: number[] = [];
    const open = this.#openDays(hours, zone);
    for (const [index, day] of open.entries()) {
      if (isNew && index === 0) continue;
      const isWaiting = day.openMinutes === 0 || (isNew && day.from <= first);
      const spent = spendDay(kept, { day: kept.day + 1, priority, ...(isWaiting && { state: 'waiting' }) }, limits);
      kept = spent.bucket;
      if (spent.scrapes === 0) continue;
      turns += this.#spread(day, spent.scrapes, requests);
      gap = Math.max(gap, (day.spans.at(-1)?.[1] ?? 0) - quietFrom);
      quietFrom = Math.max(0, day.spans[0]?.[0] ?? 0);
      for (let each = 0.5; recheck !== undefined && each < spent.scrapes; each += 1)
        paidMs.push(openMinute(day, each / spent.scrapes) * minuteMs);
    }
    const again = this.#addRechecks(paidMs, isNew ? first * minuteMs : undefined, turn);
    const gapMs = Math.max(gap, this.#sums.minutes - quietFrom) * minuteMs;
    return { turns: turns + again.turns, work: open.length + again.work, gapMs };
  }

  /** As many scrapes as a day pays for, evenly over its open time; tells how many of them are within the forecast. */
  #spread({ spans, openMinutes }: OpenDay, scrapes: number, requests: number): number {
    let minutes = 0;
    for (const [opens, closes] of spans) {
      const [from, to] = [Math.max(0, opens), Math.min(closes, this.#sums.minutes)];
      if (from >= to) continue;
      this.#sums.addEvenly(from, to, (scrapes * requests) / openMinutes);
      minutes += to - from;
    }
    return (scrapes * minutes) / openMinutes;
  }

  /** What its objective asks for between the turns that are paid for, the first turn of a new one before them. */
  #addRechecks(
    paidMs: readonly number[],
    firstMs: number | undefined,
    { requests, hours, recheck }: ForecastTurn,
  ): Laid {
    if (recheck === undefined) return { turns: 0, work: 0 };
    const { afterMs, nextAt = this.#span.at + afterMs } = recheck;
    let dueMs = firstMs === undefined ? Math.max(0, nextAt - this.#span.at) : firstMs + afterMs;
    let [turns, work] = [0, 0];
    for (const untilMs of [...paidMs, Infinity]) {
      if (untilMs < 0) continue;
      const laid = this.#openings.add(hours, requests, { dueMs, everyMs: afterMs, untilMs });
      turns += laid.turns;
      work += laid.work;
      dueMs = untilMs + afterMs;
    }
    return { turns, work };
  }

  /** The calendar days of a zone, from the one in which the forecast begins to the one in which it ends. */
  #openDays(hours: readonly OpenHours[], zone: string): readonly OpenDay[] {
    const known = this.#days.get(hours);
    if (known?.zone === zone) return known.days;
    const days: OpenDay[] = [];
    for (let day = dayNumber(zone, this.#span.at); ; day += 1) {
      const [from, to] = [this.#minute(dayStart(zone, day)), this.#minute(dayStart(zone, day + 1))];
      if (from >= this.#sums.minutes) break;
      const spans = this.#openWithin(hours, from, to);
      days.push({ from, spans, openMinutes: spans.reduce((sum, [opens, closes]) => sum + closes - opens, 0) });
    }
    if (this.#kept > maxKept) {
      this.#days = new Map();
      this.#kept = 0;
    }
    this.#kept += days.length;
    this.#days.set(hours, { zone, days });
    return days;
  }

  #openWithin(hours: readonly OpenHours[], from: number, to: number): (readonly [number, number])[] {
    const { opens, closes } = this.#hours.followed(hours);
    const spans: (readonly [number, number])[] = [];
    for (let place = this.#hours.placeAt(hours, from); (opens[place] ?? Infinity) < to; place += 1)
      spans.push([Math.max(from, opens[place] ?? 0), Math.min(closes[place] ?? 0, to)]);
    return spans;
  }

  /** The first whole minute of the forecast that an instant is not after. */
  #minute(instant: number): number {
    return Math.ceil((instant - this.#span.at) / minuteMs);
  }
}

/** The minute at which a part of a day's open time has passed. */
function openMinute({ spans, openMinutes }: OpenDay, part: number): number {
  let left = part * openMinutes;
  for (const [from, to] of spans) {
    if (left < to - from) return from + left;
    left -= to - from;
  }
  return spans.at(-1)?.[1] ?? 0;
}
