import { closesAt, nextAvailable, type OpenHours } from './available.ts';
import { dayMinutes } from './minute-sums.ts';

const minuteMs = 60_000;
/** Openings that are looked for in a row: a few milliseconds of work. */
const atOnce = 32;
/** Openings that are remembered, of all lists; a list for each day has 366 in a year. */
const maxKept = 200_000;

/** Most hours repeat by the week: what went before the span is known from so many minutes before it. */
export const leadInMinutes = 7 * dayMinutes;
/** The calendar day in which the span ends is followed to its own end, even one of 25 hours. */
const leadOutMinutes = 25 * 60;

/** The minutes in which they are open, from each of `opens` up to its fellow of `closes`, in order and apart. */
interface Openings {
  readonly opens: readonly number[];
  readonly closes: readonly number[];
  /** The longest time for which they are closed, within the span. */
  readonly closedMs: number;
}

/**
 * Hours in which a host may be asked, by the minutes of a span, those of the week before it below 0; equal lists are followed once
 * where they are one.
 */
export class MinuteHours {
  readonly #at: number;
  readonly #minutes: number;
  #openings = new Map<readonly OpenHours[], Openings>();
  #kept = 0;

  constructor(at: number, minutes: number) {
    this.#at = at;
    this.#minutes = minutes;
  }

  /** What the rest is read from, in steps; called before. */
  *follow(hours: readonly OpenHours[]): Generator<undefined> {
    if (this.#openings.has(hours)) return;
    const [opens, closes]: [number[], number[]] = [[], []];
    const end = this.#minutes + leadOutMinutes;
    let closedMs = 0;
    for (let minute = -leadInMinutes; minute < end;) {
      const opensAt = nextAvailable(hours, this.#instant(minute)) ?? Infinity;
      const from = this.#minute(opensAt);
      if (from >= end) break;
      const until = Math.min(this.#minute(closesAt(hours, opensAt) ?? Infinity), end);
      if (from < this.#minutes) closedMs = Math.max(closedMs, (from - Math.max(0, closes.at(-1) ?? 0)) * minuteMs);
      opens.push(from);
      closes.push(until);
      minute = Math.max(until, from + 1);
      if (opens.length % atOnce === 0) yield;
    }
    if (this.#kept > maxKept) {
      this.#openings = new Map();
      this.#kept = 0;
    }
    this.#kept += opens.length + 1;
    this.#openings.set(hours, { opens, closes, closedMs });
  }

  /** The minute from which what is due in one may be asked; −1 when not within the span. */
  opensAt(hours: readonly OpenHours[], minute: number): number {
    const from = Math.max(minute, this.followed(hours).opens[this.placeAt(hours, minute)] ?? Infinity);
    return from < this.#minutes ? from : -1;
  }

  /** The place of the opening that holds a minute, or else of the next one. */
  placeAt(hours: readonly OpenHours[], minute: number): number {
    const { closes } = this.followed(hours);
    let [low, high] = [0, closes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((closes[middle] ?? 0) > minute) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The minutes of the span from which they are open and up to which, in order. */
  *openings(hours: readonly OpenHours[]): Generator<readonly [number, number]> {
    const { opens, closes } = this.followed(hours);
    for (let place = this.placeAt(hours, 0); (opens[place] ?? Infinity) < this.#minutes; place += 1)
      yield [Math.max(0, opens[place] ?? 0), Math.min(closes[place] ?? 0, this.#minutes)];
  }

  /** When they are open, from a week before the span until its last day is over. */
  followed(hours: readonly OpenHours[]): Openings {
    const known = this.#openings.get(hours);
    if (known === undefined) throw new Error('the hours were not followed');
    return known;
  }

  closedMs(hours: readonly OpenHours[]): number {
    return this.followed(hours).closedMs;
  }

  #instant(minute: number): number {
    return this.#at + minute * minuteMs;
  }

  /** The first whole minute of the span that an instant is not after. */
  #minute(instant: number): number {
    return Math.ceil((instant - this.#at) / minuteMs);
  }
}
