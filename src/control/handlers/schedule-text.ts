import { writtenDuration } from '../../definition/duration.ts';
import { writtenHours } from '../../definition/open-hours.ts';
import type { ScheduleLevel } from '../../definition/schedule.ts';

const isDuration: ReadonlySet<string> = new Set([
  'every',
  'initialDelay',
  'sleep',
  'longest',
  'warnAfter',
  'errorAfter',
]);

/** What a level says of when to scrape, as its file would have it on one line: `every 1h`, or `default`. Equal for equal ones. */
export function scheduleText({ available, ...level }: ScheduleLevel = {}): string {
  const hours = available === undefined ? undefined : writtenHours(available);
  const told = Object.entries({ ...level, available: hours })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${valueText(key, value)}`);
  return told.length === 0 ? 'default' : told.join(', ');
}

function valueText(key: string, value: unknown): string {
  if (typeof value === 'number') return isDuration.has(key) ? durationText(value) : String(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueText('', each)).join(', ')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{ ${entries.map(([name, each]) => `${name}: ${valueText(name, each)}`).join(', ')} }`;
}

function durationText(ms: number): string {
  return ms === 0 ? '0s' : writtenDuration(ms);
}
