import assert from 'node:assert/strict';
import type { OpenHours } from '../../src/schedule/time/open-hours.ts';
import { forecast } from '../../src/schedule/forecast.ts';
import { forecastTarget, type PlainTarget } from './forecast-target.ts';
import { type DueInputs, nextDueAt } from '../../src/schedule/next-due.ts';
import { dayWindow, planDay } from '../../src/schedule/pace/plan-day.ts';
import type { Bucket } from '../../src/schedule/pace/bucket.ts';
import { dayNumber } from '../../src/schedule/time/zone.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
/** A Monday. */
export const at = Date.parse('2026-11-23T00:00Z');
export const days = 28;
export const targets = 100;
export const host = { key: 'https://shop.test', delayMs: 100 };
/** How long each scrape takes. */
export const tookMs = minuteMs;

export const everyDay = [1, 2, 3, 4, 5, 6, 7];
export const open = (weekdays: readonly number[], fromMinute: number, minutes: number, zone = 'UTC'): OpenHours[] => [
  { days: weekdays, fromMinute, toMinute: fromMinute + minutes, zone },
];
export const lists: Record<string, OpenHours[]> = {
  'two hours a day': open(everyDay, 60, 120),
  'ten minutes a day': open(everyDay, 360, 10),
  'working hours of a zone': open([1, 2, 3, 4, 5], 540, 480, 'Europe/Berlin'),
  'two hours on three days of a week': open([1, 3, 4], 360, 120),
  'two hours a week': open([1], 360, 120),
  'six spans a day': [0, 4, 8, 12, 16, 20].flatMap((hour) => open(everyDay, hour * 60, 30)),
};

/** The requests of each day of so many targets, as they are told. */
export function told(targetOf: (index: number) => PlainTarget, from = at): readonly number[] {
  const given = Array.from({ length: targets }, (_, index) => forecastTarget(targetOf(index), from, index));
  return forecast([{ ...host, targets: given }], { at: from, days }).requests;
}

/** One target, turn after turn as it falls due; nothing is known of its phase but that it has settled. */
export function walk(
  first: number,
  inputsOf: (turn: { at: number; since: number; drawnAt?: number }) => DueInputs,
  from: number,
  made: number[],
): void {
  const turnAt = (given: DueInputs): number => Math.max(given.at, nextDueAt(given) ?? Infinity);
  let now = first;
  for (let [since, drawnAt] = [first, -Infinity]; ;) {
    const inputs = inputsOf({ at: now, since, ...(drawnAt > -Infinity && { drawnAt }) });
    const begun = turnAt(inputs);
    if (begun >= from + days * dayMs) return;
    const day = Math.floor((begun - from) / dayMs);
    if (day >= 0) made[day] = (made[day] ?? 0) + 1;
    const { recheck: _, ...alone } = inputs;
    drawnAt = begun < (nextDueAt({ ...alone, hours: [] }) ?? Infinity) ? begun : -Infinity;
    [since, now] = [begun, begun + tookMs];
  }
}

/** Of all targets, begun evenly over a period some weeks ahead. */
export function walked(
  periodMs: number,
  inputsOf: (turn: { at: number; since: number; drawnAt?: number }) => DueInputs,
) {
  const made = Array.from({ length: days }, () => 0);
  for (let index = 0; index < targets; index += 1)
    walk(at - 14 * dayMs + (index / targets) * periodMs, inputsOf, at, made);
  return made;
}

/** Targets as their rows are at an instant: the day that is under way was planned when it began. */
export function asPlanned(
  from: number,
  zone: string,
  {
    hours,
    priority,
    tokens = 0.5,
  }: { readonly hours: readonly OpenHours[]; readonly priority: number; readonly tokens?: number },
): (index: number) => PlainTarget {
  const day = dayNumber(zone, from);
  const held = Array.from({ length: targets }, (_, target) => ({ target, bucket: bucketOf(day, tokens), priority }));
  const { turns, buckets } = planDay({ day, window: dayWindow(zone, day, 0), targets: held, hours });
  return (index) => {
    const bucket = buckets.find(({ target }) => target === index)?.bucket ?? bucketOf(day, tokens);
    const planned = turns.filter(({ target, dueAt }) => target === index && dueAt > from).map(({ dueAt }) => dueAt);
    return { pace: { kind: 'tokens', bucket, priority, zone, planned }, hours };
  };
}

/** The days of all targets, each planned as it comes. */
export function planned(
  from: number,
  zone: string,
  { hours, priority }: { readonly hours: readonly OpenHours[]; readonly priority: number },
): number[] {
  const made = Array.from({ length: days }, () => 0);
  const firstDay = dayNumber(zone, from);
  let held = Array.from({ length: targets }, (_, target) => ({ target, bucket: bucketOf(firstDay), priority }));
  for (let day = firstDay; day <= firstDay + days; day += 1) {
    const { turns, buckets } = planDay({ day, window: dayWindow(zone, day, 0), targets: held, hours });
    for (const { dueAt } of turns) {
      const of = Math.floor((dueAt - from) / dayMs);
      if (of >= 0 && of < days) made[of] = (made[of] ?? 0) + 1;
    }
    const left = new Map(buckets.map(({ target, bucket }) => [target, bucket]));
    held = held.map((each) => ({ ...each, bucket: left.get(each.target) ?? each.bucket }));
  }
  return made;
}

function bucketOf(day: number, tokens = 0.5): Bucket {
  return { tokens, day: day - 1 };
}

export const total = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

/** In all within three per cent, and each day that is open within some part. */
export function assertAlike(found: readonly number[], real: readonly number[], dayPart = 0.1): void {
  const what = `told ${found.join(' ')}, made ${real.join(' ')}`;
  assert.ok(Math.abs(total(found) - total(real)) <= 0.03 * total(real) + 1, what);
  for (const [day, made] of real.entries()) {
    if (made === 0) assert.equal(found[day], 0, what);
    else assert.ok(Math.abs((found[day] ?? 0) - made) <= dayPart * made + 3, `day ${day}: ${what}`);
  }
}
