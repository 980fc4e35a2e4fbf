import { Cron, CronPattern } from 'croner';
import { LRUCache } from 'lru-cache';
import type { Span } from '../time/open-hours.ts';
import { dayNumber, dayStart } from '../time/zone.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const dayMinutes = 1_440;
const daysOfYear = 365;
/** Days, or instants of a day on which clocks are changed, that are looked at in a row: a few milliseconds of work. */
const atOnce = 16;

/** A cron pattern of five fields, read by the clocks of a zone. */
export interface CronTimes {
  /** Minute, hour, day of the month, month, day of the week; `0 6 * * 1` is Mondays at six. */
  readonly pattern: string;
  readonly zone: string;
}

/** A compiled pattern holds some 80 kB, so only the last ones in use are kept. */
const keptPatterns = 64;
/** Compiling costs a fifth of a millisecond and more, and many targets are looked at in a row, so answers are kept of many more patterns. */
const keptAnswers = 10_000;

/** No instant of the pattern lies after `from` and before `next`. */
interface Answer {
  readonly from: number;
  readonly next: number | undefined;
}

/** By zone and pattern. */
const compiled = new LRUCache<string, Cron>({ max: keptPatterns });
/** The newest first. While targets of one pattern are scraped for a turn, some are asked for it and some for the one after it. */
const answers = new LRUCache<string, readonly [Answer, Answer?]>({ max: keptAnswers });

/** Why a text is no cron pattern, in words that follow on what was expected; nothing when it is one. */
export function cronFault(pattern: string): string | undefined {
  if (pattern.trim().split(/\s+/).length !== 5) return 'five fields are minute, hour, day, month and weekday';
  try {
    const job = compile({ pattern, zone: 'UTC' });
    return isNever(job) ? 'no day of the calendar is meant' : undefined;
  } catch (error) {
    // Croner throws only these two for what is wrong with a pattern.
    if (error instanceof TypeError || error instanceof RangeError) return reason(error.message);
    throw error;
  }
}

/**
 * The first instant of the pattern after one, or nothing when there is none. Where clocks are set forward, an instant
 * within the gap happens once, at its end; where clocks are set back, an instant that the clocks show twice happens the
 * first time. A pattern for every hour goes on by real hours.
 */
export function nextCron(times: CronTimes, after: number): number | undefined {
  const key = `${times.zone} ${times.pattern}`;
  const kept = answers.get(key);
  const known = kept?.find((answer) => answer !== undefined && isFor(answer, after));
  if (known !== undefined) return known.next;
  const job = compiled.get(key) ?? compile(times);
  const next = job.nextRun(new Date(after))?.getTime();
  compiled.set(key, job);
  const found = { from: after, next };
  answers.set(key, kept === undefined ? [found] : [found, kept[0]]);
  return next;
}

function isFor({ from, next }: Answer, after: number): boolean {
  return from <= after && (next === undefined || after < next);
}

/** The instants of a pattern after one and up to another. */
export function* cronTimes(times: CronTimes, after: number, until: number): Generator<number> {
  for (let at = nextCron(times, after); at !== undefined && at <= until; at = nextCron(times, at)) yield at;
}

/** Compiles a pattern. It is paused and has no function to run, so that croner arms no timer. */
function compile({ pattern, zone }: CronTimes): Cron {
  return new Cron(listed(pattern), { timezone: zone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
}

/**
 * The pattern with minutes and hours as lists, unless it is for every hour: only what is written without `*` and steps is
 * taken by croner for times of the day, which a change of the clocks must neither lose nor repeat.
 */
function listed(pattern: string): string {
  const { minute, hour } = new CronPattern(pattern, undefined, { mode: '5-part' });
  if (hour.every((each) => each === 1)) return pattern;
  const [, , ...days] = pattern.trim().split(/\s+/);
  return [list(minute), list(hour), ...days].join(' ');
}

function list(marks: readonly number[]): string {
  return marks.flatMap((mark, index) => (mark === 1 ? [index] : [])).join(',');
}

const fields = ['second', 'minute', 'hour', 'day', 'month', 'weekday'];

/** Croner looks as far as the year 9999. */
function isNever(job: Cron): boolean {
  return job.nextRun(new Date(0)) === null;
}

function reason(message: string): string {
  const text = message
    .replace(/^CronPattern: /, '')
    .replace(/\.$/, '')
    // Croner counts days and months from 0, and its fields from the seconds on.
    .replace(/(day|month): (-?\d+)$/, (_, field: string, index: string) => `${field}: ${Number(index) + 1}`)
    .replace(/configuration entry (\d)/i, (whole, index: string) => fields[Number(index)] ?? whole)
    .replace('dayOfWeek', 'weekday');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The instants of many spans that were asked for last, half a million in all. */
const kept = new LRUCache<string, Float64Array>({ maxSize: 1_000_000, sizeCalculation: ({ length }) => length + 1 });

/**
 * The instants that `cronTimes` tells, from one instant up to another, in steps of a few milliseconds. They are laid down day by day, as to
 * follow a pattern for every minute from turn to turn takes half a minute for a year of them.
 */
export function* instantsOf(times: CronTimes, { from, to }: Span): Generator<undefined, Float64Array> {
  const key = `${times.zone} ${times.pattern} ${from} ${to}`;
  const instants = kept.get(key) ?? (yield* listInstants(times, from, to));
  kept.set(key, instants);
  return instants;
}

function* listInstants(times: CronTimes, from: number, until: number): Generator<undefined, Float64Array> {
  const { zone } = times;
  const day = dayOf(times);
  const found = new Instants(from, until);
  let looked = 0;
  for (const each of daysOf(times, dayNumber(zone, from), dayNumber(zone, until))) {
    looked += 1;
    if (looked % atOnce === 0) yield;
    const [begin, end] = [dayStart(zone, each), dayStart(zone, each + 1)];
    if (end - begin === dayMs) found.addDay(begin, day.minutes);
    else if (day.isHourly && (end - begin) % hourMs === 0) found.addHours(begin, end, day.minutes);
    else
      for (const at of cronTimes(times, begin - 1, end - 1)) {
        found.add(at);
        if (found.count % atOnce === 0) yield;
      }
  }
  return found.all();
}

/** The turns of a pattern in a usual day, over a year. */
export function turnsADay(times: CronTimes): number {
  return (dayOf(times).minutes.length * [...daysOf(times, 0, daysOfYear - 1)].length) / daysOfYear;
}

/** The minutes of a day at which a pattern has a turn, and whether it has them in every hour. */
function dayOf({ pattern }: CronTimes): { readonly minutes: readonly number[]; readonly isHourly: boolean } {
  const { minute, hour } = new CronPattern(pattern, undefined, { mode: '5-part' });
  const minutes: number[] = [];
  for (let each = 0; each < dayMinutes; each += 1)
    if (hour[Math.floor(each / 60)] === 1 && minute[each % 60] === 1) minutes.push(each);
  return { minutes, isHourly: hour.every((mark) => mark === 1) };
}

/** The numbers of the days of its zone's calendar on which a pattern has turns. */
function* daysOf({ pattern }: CronTimes, first: number, last: number): Generator<number> {
  const days = pattern.trim().split(/\s+/).slice(2);
  if (days.every((field) => field === '*')) for (let day = first; day <= last; day += 1) yield day;
  else {
    const daily = { pattern: `0 0 ${days.join(' ')}`, zone: 'UTC' };
    for (const at of cronTimes(daily, first * dayMs - 1, last * dayMs)) yield at / dayMs;
  }
}

class Instants {
  readonly #from: number;
  readonly #until: number;
  #instants = new Float64Array(dayMinutes);
  count = 0;

  constructor(from: number, until: number) {
    this.#from = from;
    this.#until = until;
  }

  add(at: number): void {
    const last = this.#instants[this.count - 1] ?? -Infinity;
    if (at < this.#from || at >= this.#until || at <= last) return;
    if (this.count === this.#instants.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.#instants);
      this.#instants = larger;
    }
    this.#instants[this.count] = at;
    this.count += 1;
  }

  addDay(begin: number, minutes: readonly number[]): void {
    for (const minute of minutes) this.add(begin + minute * minuteMs);
  }

  /** Adds hourly turns by elapsed hours, so that a change of the clocks neither repeats nor skips one. */
  addHours(begin: number, end: number, minutes: readonly number[]): void {
    for (let hour = begin; hour < end; hour += hourMs)
      for (const minute of minutes) if (minute < 60) this.add(hour + minute * minuteMs);
  }

  all(): Float64Array {
    return this.#instants.slice(0, this.count);
  }
}
