import * as z from 'zod';
import { expected } from '../../schema/expected.ts';
import type { Span } from './open-hours.ts';
import { Zone } from './open-hours-schema.ts';
import { dayNumber, dayStart } from './zone.ts';

const dayMs = 86_400_000;
const dayForm = /^(?:(\d{4})-)?(\d{2})-(\d{2})$/;

/** A day of one year, or of each year. */
const Day = z.string().refine(isDay, expected('a day like "2026-11-20", or "11-20" for each year'));

/** The keys of an objective that holds between two days, both included; the same in files and in control methods. */
export const seasonShape = {
  from: Day.describe(
    'The first day on which the objective holds, such as `2026-11-20`, or `11-20` for each year. Default: it always holds.',
  ).exactOptional(),
  to: Day.describe('The last day on which the objective holds, in the same form as `from`.').exactOptional(),
  zone: Zone.describe('The time zone by whose clocks the days begin and end. Default: UTC.').exactOptional(),
};

/** Two days between which something holds, both included: of one year, or of each year, where the second may lie in the next one. */
export interface Season {
  readonly from: string;
  readonly to: string;
  /** Default: UTC. */
  readonly zone?: string;
}

type Given = { readonly [K in keyof typeof seasonShape]?: string | undefined };

/** The season that an objective names; `undefined` for one that always holds. */
export function seasonOf({ from, to, zone }: Given): Season | undefined {
  if (from === undefined || to === undefined) return undefined;
  return { from, to, ...(zone !== undefined && { zone }) };
}

/** Returns a fault in the combination of a season's keys. */
export function seasonFault({ from, to, zone }: Given): string | undefined {
  if (from === undefined && to === undefined)
    return zone === undefined ? undefined : 'expected "from" and "to" beside "zone"';
  if (from === undefined || to === undefined)
    return `expected "${from === undefined ? 'from' : 'to'}" beside "${from === undefined ? 'to' : 'from'}"`;
  if (isYearly(from) !== isYearly(to))
    return `expected two days with a year, or two of each year, got "${from}" and "${to}"`;
  if (!isYearly(from) && from > to) return `expected "from" on the day of "to" or before, got "${from}" and "${to}"`;
  return undefined;
}

/** The season that an instant lies in, or else the next one; `undefined` when it is over for good. */
export function seasonAt(season: Season, at: number): Span | undefined {
  return spansAround(season, at).find(({ to }) => at < to);
}

/** When a season last ended before an instant; `undefined` where it never did. */
export function seasonEndedAt(season: Season, at: number): number | undefined {
  return spansAround(season, at).findLast(({ to }) => to <= at)?.to;
}

/** The only span of a season, or those of the years around an instant, in order. */
function spansAround({ from, to, zone = 'UTC' }: Season, at: number): readonly Span[] {
  const spanOf = (first: number, last: number): Span => ({ from: dayStart(zone, first), to: dayStart(zone, last + 1) });
  if (!isYearly(from)) return [spanOf(dayOf(from), dayOf(to))];
  const year = new Date(dayNumber(zone, at) * dayMs).getUTCFullYear();
  return [-2, -1, 0, 1].map((years) => {
    const begins = year + years;
    return spanOf(dayOf(from, begins), dayOf(to, to < from ? begins + 1 : begins));
  });
}

function isYearly(day: string): boolean {
  return day.length === 'MM-DD'.length;
}

function isDay(text: string): boolean {
  const [, year = '2024', month, day] = dayForm.exec(text) ?? [];
  if (month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.toISOString().startsWith(`${year}-${month}-${day}`);
}

/** The number of a day, counted from 1 January 1970; the 29th of February is the 28th of a year that has no such day. */
function dayOf(text: string, yearOf?: number): number {
  const [, year, month = '1', day = '1'] = dayForm.exec(text) ?? [];
  const of = Number(year ?? yearOf);
  const lastDay = new Date(Date.UTC(of, Number(month), 0)).getUTCDate();
  return Date.UTC(of, Number(month) - 1, Math.min(Number(day), lastDay)) / dayMs;
}
