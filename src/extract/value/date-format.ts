import { LRUCache } from 'lru-cache';
import { DateTime, IANAZone } from 'luxon';
import { faultCheck, textFault } from '../../schema/checked-text.ts';
import { expected } from '../../schema/expected.ts';
import { spend } from '../../work-budget.ts';
import type { Schemas } from './field-type.ts';

/** How dates are written; ISO 8601 without formats. */
export interface DateOptions {
  /**
   * Formats in the tokens of Luxon or, if there is a `%`, of strptime; `ISO` and `RFC2822` name whole forms, `X` and `x` count
   * seconds and milliseconds since 1970. The first that fits counts.
   */
  readonly formats?: readonly string[];
  /** The language of the names of months and days. Default: English. */
  readonly locale?: string;
  /** The time zone of texts without an offset. Default: UTC. */
  readonly zone?: string;
}

/** The schemas of `DateOptions`; `formats` may be one text. */
export function dateOptions(z: Schemas) {
  const format = z
    .string()
    .min(1)
    .max(100)
    .superRefine(faultCheck((text) => textFault('a date format', text, dateFormatFault)));
  return {
    formats: z
      .union([format, z.array(format).min(1).max(20)])
      .transform((given) => [given].flat())
      .exactOptional(),
    locale: z.string().max(35).refine(isLocale, expected('a language like "de"')).exactOptional(),
    zone: z.string().max(50).refine(isZoneOrOffset, expected('a time zone like "Europe/Berlin"')).exactOptional(),
  };
}

/** Returns the end of a phrase for an expected date: `of ISO 8601`, or `of the form "%Y"`. */
export function formsOf({ formats }: DateOptions): string {
  return formats === undefined ? 'of ISO 8601' : `of the form ${formats.map((format) => `"${format}"`).join(' or ')}`;
}

/** Readers of the formats that have a name and no pattern. */
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

/** The readers of the options last used on this thread. */
const readers = new LRUCache<string, readonly Reader[]>({ max: 1_000 });

/** Texts may name time zones, of which Luxon keeps each, known or not: they are forgotten after so many texts. */
const textsPerReset = 1_000;
let textsRead = 0;

/** Reads a day by the first format that fits, in the zone of the text; undefined if none fits. Throws a `RangeError` for a format that is not valid. */
export function readFormattedDate(text: string, options: DateOptions): string | undefined {
  return readFormatted(text, options)?.toISODate() ?? undefined;
}

/** Reads an instant by the first format that fits, as UTC with milliseconds; undefined if none fits. Without a time of day it is the start of the day. Throws a `RangeError` for a format that is not valid. */
export function readFormattedInstant(text: string, options: DateOptions): string | undefined {
  return readFormatted(text, options)?.toUTC().toISO() ?? undefined;
}

/** The work of trying a format. */
const formatSteps = 2_000;

function readFormatted(text: string, options: DateOptions): DateTime | undefined {
  textsRead += 1;
  if (textsRead % textsPerReset === 0) IANAZone.resetCache();
  for (const read of readersOf(options)) {
    spend(formatSteps);
    const found = read(text);
    if (isKept(found)) return found;
  }
  return undefined;
}

/** Whether a date is valid and of years 1 to 9999: longer years have longer texts of ISO 8601, which would not sort. */
function isKept(found: DateTime): boolean {
  return found.isValid && found.year >= 1 && found.year <= 9999;
}

function readersOf({ formats = [], locale = 'en', zone = 'utc' }: DateOptions): readonly Reader[] {
  const key = JSON.stringify([formats, locale, zone]);
  const known = readers.get(key) ?? formats.map((format) => readerOf(format, { locale, zone, setZone: true }));
  readers.set(key, known);
  return known;
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

/** Returns a phrase for what is wrong with a date format; undefined if it is valid. A format needs a year, or it would read another day every year. */
export function dateFormatFault(format: string): string | undefined {
  if (named.has(format)) return undefined;
  const pattern = patternOf(format);
  if ('unknown' in pattern) return `"${pattern.unknown}" is no token of strptime that is known here`;
  const bare = DateTime.expandFormat(pattern.format.replaceAll(/'[^']*'/g, ''), { locale: 'en' });
  if (!/[yk]/.test(bare)) return format.includes('%') ? 'it has no year (%Y)' : 'it has no year (yyyy)';
  const options = { locale: 'en', zone: 'utc' };
  const written = DateTime.fromObject(probe, { zone: 'utc' }).toFormat(pattern.format, options);
  return DateTime.fromFormat(written, pattern.format, options).isValid
    ? undefined
    : `it cannot read back what it writes, "${written}"`;
}

/** Whether a text is a name or an offset of a time zone, such as `Europe/Berlin` or `utc+2`. */
export function isZoneOrOffset(zone: string): boolean {
  return DateTime.utc().setZone(zone).isValid;
}

/** Whether a text is a language whose names of months are known. */
export function isLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch (error) {
    // Intl has no other way to say that a tag is malformed.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The token of Luxon for each letter after the `%` of strptime. */
const tokens: ReadonlyMap<string, string> = new Map([
  ['Y', 'yyyy'],
  ['y', 'yy'],
  ['m', 'M'],
  ['B', 'MMMM'],
  ['b', 'MMM'],
  ['h', 'MMM'],
  ['d', 'd'],
  ['e', 'd'],
  ['j', 'o'],
  ['A', 'cccc'],
  ['a', 'ccc'],
  ['H', 'H'],
  ['k', 'H'],
  ['I', 'h'],
  ['l', 'h'],
  ['M', 'm'],
  ['S', 's'],
  ['f', 'u'],
  ['p', 'a'],
  ['P', 'a'],
  ['z', 'ZZZ'],
  ['Z', 'z'],
  ['F', 'yyyy-M-d'],
  ['D', 'M/d/yy'],
  ['T', 'H:m:s'],
  ['R', 'H:m'],
  ['n', ' '],
  ['t', ' '],
]);

/** Translates a format of strptime to one of Luxon, or returns its first token that is not known here. */
export function luxonFormat(strptime: string): { readonly format: string } | { readonly unknown: string } {
  let format = '';
  for (const [piece, letter] of strptime.matchAll(/%[-_0^#]?(.?)|\s+|[^%\s]+/gsu)) {
    if (letter !== undefined) {
      const token = letter === '%' ? "'%'" : tokens.get(letter);
      if (token === undefined) return { unknown: piece };
      format += token;
    } else format += /\s/.test(piece) ? ' ' : quotedLiteral(piece);
  }
  return { format };
}

/** Text in quotes, as Luxon has it; an apostrophe is written twice, outside of quotes. */
function quotedLiteral(text: string): string {
  return text
    .split("'")
    .map((part) => (part === '' ? '' : `'${part}'`))
    .join("''");
}
