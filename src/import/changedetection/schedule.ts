import type { Book } from '../book.ts';
import { isZone } from '../../schedule/time/zone.ts';
import { type Application, type Requests, type Watch, weekdays } from './schema.ts';

/** The keys of a project that say when its page is asked for. */
export interface ScheduleKeys {
  readonly every?: string;
  readonly available?: readonly object[];
}

const unitSeconds = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;

/** Translates the interval of a watch, or that of all of them, and the hours in which it is checked. */
export function scheduleKeys(
  book: Book,
  label: string,
  watch: Watch,
  settings: { readonly application: Application; readonly requests: Requests },
): ScheduleKeys {
  const own = secondsOf(watch.time_between_check) || 60 * (watch.minutes_between_check ?? 0);
  const seconds =
    watch.time_between_check_use_default === true || !own ? secondsOf(settings.requests.time_between_check) : own;
  const hours = hoursOf(book, label, watch, settings.application);
  return { ...(seconds > 0 && { every: durationOf(seconds) }), ...(hours.length > 0 && { available: hours }) };
}

function secondsOf(interval: Watch['time_between_check']): number {
  if (interval === null || interval === undefined) return 0;
  const seconds = Object.entries(unitSeconds).reduce((sum, [unit, each]) => {
    const count = interval[unit as keyof typeof unitSeconds] ?? 0;
    return sum + (Number.isFinite(count) && count > 0 ? Math.round(count * each) : 0);
  }, 0);
  return Math.min(seconds, 365 * unitSeconds.days);
}

function durationOf(seconds: number): string {
  for (const [mark, unit] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
  ] as const)
    if (seconds % unit === 0) return `${seconds / unit}${mark}`;
  return `${seconds}s`;
}

const dayMinutes = 1_440;

function hoursOf(book: Book, label: string, { time_schedule_limit: limit }: Watch, application: Application): object[] {
  if (limit?.enabled !== true) return [];
  const wished =
    (limit.timezone ?? application.scheduler_timezone_default ?? application.timezone ?? 'UTC').trim() || 'UTC';
  const isKnown = isZone(wished);
  if (!isKnown) book.leave(label, 'the time zone of its hours', 'it is no time zone that is known: UTC stands for it');
  const zone = isKnown ? wished : 'UTC';
  const days = new Map<string, string[]>();
  for (const day of weekdays) {
    const hours = openOn(limit[day]);
    if (hours !== undefined) days.set(hours, [...(days.get(hours) ?? []), day.slice(0, 3)]);
  }
  if (days.size === 0) {
    book.leave(label, 'its hours', 'no day is enabled: it is asked at all hours');
    return [];
  }
  return Array.from(days, ([hours, each]) => ({
    ...(each.length < weekdays.length && { days: each }),
    ...((hours !== '00:00-24:00' || each.length === weekdays.length) && { hours }),
    ...(zone !== 'UTC' && { zone }),
  }));
}

/** The hours of one day; undefined where it is closed. A day that the settings lack is open. */
function openOn(day: NonNullable<Watch['time_schedule_limit']>[(typeof weekdays)[number]]): string | undefined {
  const {
    enabled,
    start_time: start,
    duration,
  } = day ?? { enabled: true, start_time: '00:00', duration: { hours: 24, minutes: 0 } };
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)/.exec(start) ?? [];
  const from = Number(hour ?? 0) * 60 + Number(minute ?? 0);
  const length = Math.round(duration.hours * 60 + duration.minutes);
  if (!enabled || !(length > 0)) return undefined;
  if (length >= dayMinutes && from === 0) return '00:00-24:00';
  // Hours may not end when they begin.
  const to = (from + Math.min(length, dayMinutes - 1)) % dayMinutes;
  return `${clock(from)}-${to === 0 ? '24:00' : clock(to)}`;
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
