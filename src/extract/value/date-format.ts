import { DateTime } from 'luxon';
import type { DateOptions } from './rule.ts';
import { luxonFormat } from './strptime.ts';

/** How a text is written that is no pattern but has a name. */
const named = new Map<string, (text: string, options: LuxonOptions) => DateTime>([
  ['ISO', (text, options) => DateTime.fromISO(text, options)],
  ['RFC2822', (text, options) => DateTime.fromRFC2822(text, options)],
  ['X', (text) => sinceEpoch(text, 1_000)],
  ['%s', (text) => sinceEpoch(text, 1_000)],
  ['x', (text) => sinceEpoch(text, 1)],
]);

function sinceEpoch(text: string, unitMs: number): DateTime {
  const isCount = /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text);
  return isCount
    ? DateTime.fromMillis(Math.trunc(Number(text) * unitMs), { zone: 'utc' })
    : DateTime.invalid('no count of seconds');
}

interface LuxonOptions {
  readonly locale: string;
  readonly zone: string;
  readonly setZone: true;
}

type Reader = (text: string) => DateTime;

const maxKept = 1_000;
const kept = new Map<string, readonly Reader[]>();

/** A day as the first format that fits writes it, in the zone of the text. */
export function readFormattedDate(text: string, options: DateOptions): string | undefined {
  return readFormatted(text, options)?.toISODate() ?? undefined;
}

/** An instant, as UTC with milliseconds. Without a time of day, the day's beginning is meant. */
export function readFormattedInstant(text: string, options: DateOptions): string | undefined {
  return readFormatted(text, options)?.toUTC().toISO() ?? undefined;
}

function readFormatted(text: string, options: DateOptions): DateTime | undefined {
  for (const read of readersOf(options)) {
    const found = read(text);
    if (isKept(found)) return found;
  }
  return undefined;
}

/** Years beyond four digits have no text of ISO 8601 of the usual length, so they would not sort. */
function isKept(found: DateTime): boolean {
  return found.isValid && found.year >= 1 && found.year <= 9999;
}

function readersOf({ formats = [], locale = 'en', zone = 'utc' }: DateOptions): readonly Reader[] {
  const key = JSON.stringify([formats, locale, zone]);
  const readers = kept.get(key) ?? formats.map((format) => readerOf(format, { locale, zone, setZone: true }));
  if (!kept.has(key) && kept.size >= maxKept) kept.clear();
  kept.set(key, readers);
  return readers;
}

function readerOf(format: string, options: LuxonOptions): Reader {
  const byName = named.get(format);
  if (byName !== undefined) return (text) => byName(text, options);
  const pattern = patternOf(format);
  if ('unknown' in pattern) throw new RangeError(`expected a date format, got "${format}"`);
  const parser = DateTime.buildFormatParser(pattern.format, options);
  return (text) => DateTime.fromFormatParser(text, parser, options);
}

function patternOf(format: string): ReturnType<typeof luxonFormat> {
  return format.includes('%') ? luxonFormat(format) : { format };
}

const probe = { year: 2026, month: 11, day: 23, hour: 10, minute: 30, second: 15 };

/** What is wrong with a date's format, if anything. A format without a year would read another day every year. */
export function dateFormatFault(format: string, locale = 'en'): string | undefined {
  if (named.has(format)) return undefined;
  const pattern = patternOf(format);
  if ('unknown' in pattern) return `"${pattern.unknown}" is no token of strptime that is known here`;
  const bare = DateTime.expandFormat(pattern.format.replaceAll(/'[^']*'/g, ''), { locale });
  if (!/[yk]/.test(bare)) return format.includes('%') ? 'it has no year (%Y)' : 'it has no year (yyyy)';
  const options = { locale, zone: 'utc' };
  const written = DateTime.fromObject(probe, { zone: 'utc' }).toFormat(pattern.format, { locale });
  return DateTime.fromFormat(written, pattern.format, options).isValid
    ? undefined
    : `it cannot read back what it writes, "${written}"`;
}

/** Whether it is a name or an offset of a time zone, such as `Europe/Berlin` or `utc+2`. */
export function isZone(zone: string): boolean {
  return DateTime.utc().setZone(zone).isValid;
}

/** Whether it is a language whose names of months are known. */
export function isLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch (error) {
    // Intl has no other way to say that a tag is malformed.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
