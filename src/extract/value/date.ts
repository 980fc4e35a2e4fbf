import { type DateOptions, dateOptions, formsOf, readFormattedDate } from './date-format.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** A calendar day, kept as ISO 8601. */
export const date: FieldType<{ readonly type: 'date' } & DateOptions> = {
  options: dateOptions,
  isKey: true,
  expected: (rule) => `a date ${formsOf(rule)}`,
  read(value, rule) {
    const text = shortText(value);
    if (text === undefined) return undefined;
    return rule.formats === undefined ? readDate(text) : readFormattedDate(text, rule);
  },
  examples: [
    { field: '{ type: date }', note: 'ISO 8601 without `formats`', text: '2026-03-14', gives: '"2026-03-14"' },
    { field: '{ type: date }', text: '31 February 2026', gives: 'lost' },
    {
      field: '{ type: date, formats: ["%d/%m/%Y", "MMMM yyyy"] }',
      note: '`formats`, the first that fits, in the tokens of Luxon or, with `%`, of strptime; `ISO`, `RFC2822`; `locale`; `zone`',
      text: '14/03/2026',
      gives: '"2026-03-14"',
    },
    { field: '{ type: date, formats: "d. MMMM yyyy", locale: de }', text: '14. März 2026', gives: '"2026-03-14"' },
  ],
};

const day = String.raw`(\d{4})-(\d\d)-(\d\d)`;
const time = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?`;
const offset = String.raw`(Z|[+-]\d\d(?::?\d\d)?)?`;
const dayForm = new RegExp(`^${day}(?:[T ]${time} ?${offset})?$`, 'i');
const instantForm = new RegExp(`^${day}[T ]${time} ?${offset}$`, 'i');

/** Reads a calendar day of ISO 8601, `2026-11-21`; of a date with a time, the day as written. */
function readDate(text: string): string | undefined {
  const found = dayForm.exec(text);
  if (found === null) return undefined;
  const [, year, month, dayOfMonth] = found;
  return midnightMs(Number(year), Number(month), Number(dayOfMonth)) === undefined
    ? undefined
    : `${year}-${month}-${dayOfMonth}`;
}

/**
 * Reads an instant of ISO 8601, with or without seconds, as UTC with milliseconds. An instant without an offset is in UTC. A day
 * without a time is no instant.
 */
export function readInstant(text: string): string | undefined {
  const found = instantForm.exec(text);
  if (found === null) return undefined;
  const [, year, month, dayOfMonth, hour, minute, second = '0', fraction = '', zone = 'Z'] = found;
  const dayMs = midnightMs(Number(year), Number(month), Number(dayOfMonth));
  const zoneMs = offsetMs(zone);
  if (dayMs === undefined || zoneMs === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const ms =
    ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return new Date(dayMs + ms - zoneMs).toISOString();
}

/** The start of a day in UTC; undefined for a day that no calendar has, such as 30 February. */
function midnightMs(year: number, month: number, dayOfMonth: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, dayOfMonth);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth ? date.getTime() : undefined;
}

function offsetMs(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
