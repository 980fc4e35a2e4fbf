import { CronPattern } from 'croner';
import { type CronTimes, cronTimes, nextCron } from './cron.ts';
import { dayNumber, dayStart } from './zone.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const dayMinutes = 1_440;
/** Days, or instants of a day on which clocks are changed, that are looked at in a row: a few milliseconds of work. */
const atOnce = 16;

/** The instants of a pattern within some time, in order, and the longest time between two. */
export interface CronTurns {
  readonly instants: Float64Array;
  readonly gapMs: number;
}

/**
 * The instants that `cronTimes` tells, from one instant up to another, in steps. They are laid down day by day, as to follow a
 * pattern for every minute from turn to turn takes half a minute for a year of them.
 */
export function* followCron(times: CronTimes, from: number, until: number): Generator<undefined, CronTurns> {
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
  return found.turns(times);
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
  #gapMs = 0;
  count = 0;

  constructor(from: number, until: number) {
    this.#from = from;
    this.#until = until;
  }

  add(at: number): void {
    const last = this.#instants[this.count - 1] ?? -Infinity;
    if (at < this.#from || at >= this.#until || at <= last) return;
    if (this.count > 0 && at - last > this.#gapMs) this.#gapMs = at - last;
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

  /** What has turns in every hour goes on by real hours where clocks are changed. */
  addHours(begin: number, end: number, minutes: readonly number[]): void {
    for (let hour = begin; hour < end; hour += hourMs)
      for (const minute of minutes) if (minute < 60) this.add(hour + minute * minuteMs);
  }

  /** Where fewer than two are in the time that is looked at, those that come after it say how far they lie apart. */
  turns(times: CronTimes): CronTurns {
    const instants = this.#instants.slice(0, this.count);
    if (this.count > 1) return { instants, gapMs: this.#gapMs };
    const first = instants[0] ?? nextCron(times, this.#from) ?? Infinity;
    return { instants, gapMs: (nextCron(times, first) ?? Infinity) - first };
  }
}
