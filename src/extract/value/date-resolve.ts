import { DateTime, FixedOffsetZone, type Zone } from 'luxon';
import type { Duration, TimeUnit } from './date-lexicon.ts';
import type { ClockTime, Phrase } from './date-phrase.ts';

/** The part of a date that its text says no more than: `month` for "March 2017". */
export type Precision = TimeUnit;

/** By what a phrase becomes a date. */
export interface Resolving {
  /** The instant that the text counts from, wall time; undefined if it is not known. */
  readonly observedAt: number | undefined;
  /** The time zone of texts that name none. */
  readonly zone: Zone;
  /** The direction in which what a text leaves out is looked for. */
  readonly prefer?: 'past' | 'future' | undefined;
}

/** A date that a text means. */
export interface Resolved {
  /** The day, with the time of day where `precision` is less than a day. */
  readonly at: DateTime;
  readonly precision: Precision;
  /** Whether the clocks of the zone skip the time or show it twice. */
  readonly isUnsure: boolean;
}

/** A phrase for what is missing to make a phrase a date. */
export interface Missing {
  readonly missing: string;
}

/** A phrase for what a text should have said, where it means no date: its day is none, or on another day of the week. */
export interface Wrong {
  readonly wrong: string;
}

const direction = {
  missing:
    'a date that says its direction or its year with four digits, or `prefer: past` or `prefer: future` beside the type',
};
const noSuchDay = 'a day that exists';
const reference = { missing: 'a date that does not count from when the page came, which is not known here' };

/** Returns the date that a phrase means, or what is missing for that or wrong; undefined if there is no such date. */
export function resolved(phrase: Phrase, resolving: Resolving): Resolved | Missing | Wrong | undefined {
  const zone = phrase.offset === undefined ? resolving.zone : FixedOffsetZone.instance(phrase.offset);
  const found = dayOf(phrase, { ...resolving, zone });
  if (found === undefined) return isDay(phrase) ? undefined : { wrong: noSuchDay };
  if ('missing' in found) return isDay(phrase) ? found : { missing: noSuchDay };
  const { at } = found;
  if (!at.isValid || at.year < 1 || at.year > 9999) return undefined;
  if (phrase.weekday === undefined || phrase.weekday === at.weekday) return found;
  const right = `${at.toISODate()} is a ${at.setLocale('en').weekdayLong}`;
  return { wrong: `the day of the week to be right: ${right}` };
}

/** Whether a year has the day and month of a phrase: 29 February is a day where no year is said. */
function isDay({ year = 2024, month = 1, day = 1 }: Phrase): boolean {
  return DateTime.utc(year, month, day).isValid;
}

function dayOf(phrase: Phrase, resolving: Resolving): Resolved | Missing | undefined {
  const { month, day = 1, time, year, shifts, amounts, weekday } = phrase;
  const { observedAt, zone, prefer } = resolving;
  if (year !== undefined) {
    const precision = month === undefined ? 'year' : phrase.day === undefined ? 'month' : 'day';
    return dated({ year, month: month ?? 1, day }, time, zone, precision);
  }
  if (shifts === undefined && prefer === undefined) return direction;
  if (observedAt === undefined) return reference;
  const now = DateTime.fromMillis(observedAt, { zone });
  if (shifts !== undefined) return shifted(now, shifts, time);
  if (prefer === undefined) return direction;
  const sign = prefer === 'past' ? -1 : 1;
  if (amounts !== undefined)
    return shifted(
      now,
      amounts.map(([unit, amount]): Duration => [unit, amount * sign]),
      time,
    );
  if (month !== undefined)
    return nearest(
      now,
      sign,
      phrase.shortYear === undefined ? yearsFrom(now, sign) : centuriesFrom(now, phrase.shortYear),
      (each) => dated({ year: each, month, day }, time, zone, 'day'),
    );
  if (weekday === undefined) return nearest(now, sign, [0, sign], (days) => onDay(now.plus({ days }), time));
  // Nobody can tell today from the day a week away.
  return now.weekday === weekday
    ? undefined
    : nearest(now, sign, [1, 2, 3, 4, 5, 6], (days) => {
        const on = onDay(now.plus({ days: days * sign }), time);
        return on?.at.weekday === weekday ? on : undefined;
      });
}

function yearsFrom(now: DateTime, sign: number): number[] {
  // Two leap days are eight years apart where a century is none.
  return Array.from({ length: 10 }, (_, index) => now.year + index * sign);
}

function centuriesFrom({ year }: DateTime, short: number): number[] {
  const century = year - (year % 100) + short;
  return [century - 100, century, century + 100];
}

/** The nearest of several dates in a direction; today counts, but not a time of it on the other side of now. */
function nearest<T>(
  now: DateTime,
  sign: number,
  candidates: readonly T[],
  make: (candidate: T) => Resolved | undefined,
): Resolved | undefined {
  const today = now.startOf('day');
  const isThere = ({ at, precision }: Resolved): boolean =>
    precision === 'day'
      ? sign * (at.startOf('day').toMillis() - today.toMillis()) >= 0
      : sign * (at.toMillis() - now.toMillis()) >= 0;
  return candidates
    .flatMap((candidate) => make(candidate) ?? [])
    .filter((each) => each.at.isValid && isThere(each))
    .toSorted((one, other) => sign * (one.at.toMillis() - other.at.toMillis()))[0];
}

function onDay({ year, month, day, zone }: DateTime, time: ClockTime | undefined): Resolved | undefined {
  return dated({ year, month, day }, time, zone, 'day');
}

function dated(
  day: { readonly year: number; readonly month: number; readonly day: number },
  time: ClockTime | undefined,
  zone: Zone,
  precision: Precision,
): Resolved | undefined {
  if (time === undefined) {
    const at = DateTime.fromObject(day, { zone });
    return at.isValid ? { at, precision, isUnsure: false } : undefined;
  }
  if (precision !== 'day') return undefined;
  const { hour, minute = 0, second = 0, ms = 0 } = time;
  const at = DateTime.fromObject({ ...day, hour, minute, second, millisecond: ms }, { zone });
  if (!at.isValid) return undefined;
  const isUnsure = at.hour !== hour || at.minute !== minute || at.getPossibleOffsets().length > 1;
  return {
    at,
    precision: time.second !== undefined ? 'second' : time.minute === undefined ? 'hour' : 'minute',
    isUnsure,
  };
}

const fractional: readonly TimeUnit[] = ['week', 'day', 'hour', 'minute', 'second'];
const smallUnits: readonly TimeUnit[] = ['hour', 'minute', 'second'];

/** A moment that is amounts of time away from now. A time of day may be said with days and weeks alone. */
function shifted(now: DateTime, amounts: readonly Duration[], time: ClockTime | undefined): Resolved | undefined {
  const [precision = 'second'] = amounts.at(-1) ?? [];
  if (amounts.some(([unit, amount]) => !Number.isInteger(amount) && !fractional.includes(unit))) return undefined;
  if (amounts.some(([, amount]) => Math.abs(amount) > 1e9)) return undefined;
  const sums: Partial<Record<`${TimeUnit}s`, number>> = {};
  for (const [unit, amount] of amounts) sums[`${unit}s`] = (sums[`${unit}s`] ?? 0) + amount;
  const at = now.plus(sums);
  if (time !== undefined)
    return amounts.every(([unit, amount]) => (unit === 'day' || unit === 'week') && Number.isInteger(amount))
      ? onDay(at, time)
      : undefined;
  const isFraction = amounts.some(([, amount]) => !Number.isInteger(amount));
  return { at, precision: isFraction && !smallUnits.includes(precision) ? 'hour' : precision, isUnsure: false };
}
