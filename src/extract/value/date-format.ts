import { LRUCache } from 'lru-cache';
import { DateTime, IANAZone } from 'luxon';
import { faultCheck, textFault } from '../../schema/checked-text.ts';
import { expected } from '../../schema/expected.ts';
import { spend } from '../../work-budget.ts';
import { calendarFault } from './intl-date-lexicon.ts';
import type { Precision, Resolved } from './date-resolve.ts';
import type { Schemas } from './field-type.ts';
import { localeSchema } from './locale.ts';

/** How dates are written; ISO 8601 without formats. */
export interface DateOptions {
  /**
   * Formats in the tokens of Luxon or, if there is a `%`, of strptime; `ISO` and `RFC2822` name whole forms, `X` and `x` count
   * seconds and milliseconds since 1970. The first that fits counts.
   */
  readonly formats?: readonly string[];
  /** The language of the dates, with its region where that decides the order of numbers. Default: none; for formats, English. */
  readonly locale?: string;
  /** The time zone of texts without an offset. Default: UTC. */
  readonly zone?: string;
  /** The direction in which a year, day or century that is left out is looked for, from when the page came. Without formats only. */
  readonly prefer?: 'past' | 'future';
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
    locale: localeSchema(z)
      .superRefine(faultCheck((text) => textFault('a language', text, calendarFault)))
      .exactOptional(),
    zone: z.string().max(50).refine(isZoneOrOffset, expected('a time zone like "Europe/Berlin"')).exactOptional(),
    prefer: z.enum(['past', 'future']).exactOptional(),
  };
}

/** Returns the end of a phrase for an expected date: `of ISO 8601`, or `of the form "%Y"`. */
export function formsOf({ formats, locale }: DateOptions): string {
  if (formats !== undefined) return `of the form ${formats.map((format) => `"${format}"`).join(' or ')}`;
  return locale === undefined ? 'of ISO 8601' : `as people write it in "${locale}"`;
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

/** Reads a text in a zone, which may be another one than that of the options. */
interface Reader {
  read(text: string, zone: string): DateTime;
  precision(text: string): Precision;
}

/** The readers of the options last used on this thread. */
const readers = new LRUCache<string, readonly Reader[]>({ max: 1_000 });

/** Texts may name time zones, of which Luxon keeps each, known or not: they are forgotten after so many texts. */
const textsPerReset = 1_000;
let textsRead = 0;

/** The work of trying a format. */
const formatSteps = 2_000;

/** Reads a date by the first format that fits, in the zone of the text; undefined if none fits. Throws a `RangeError` for a format that is not valid. */
export function readFormatted(text: string, options: DateOptions): Resolved | undefined {
  const { zone = 'utc' } = options;
  textsRead += 1;
  if (textsRead % textsPerReset === 0) IANAZone.resetCache();
  for (const { read, precision } of readersOf(options)) {
    spend(formatSteps);
    const at = read(text, zone);
    if (isKept(at)) return { at, precision: precision(text), isUnsure: isUnsure(at, zone, () => read(text, 'utc')) };
  }
  return undefined;
}

/** Whether a date is valid and of years 1 to 9999: longer years have longer texts of ISO 8601, which would not sort. */
function isKept(found: DateTime): boolean {
  return found.isValid && found.year >= 1 && found.year <= 9999;
}

/** Whether the clocks of the zone skip or repeat a time that the text says without an offset. The beginning of a day may be skipped. */
function isUnsure(at: DateTime, zone: string, written: () => DateTime): boolean {
  if (at.zoneName === 'UTC' || at.zone.isUniversal || at.zoneName !== DateTime.utc().setZone(zone).zoneName)
    return false;
  const said = written();
  if (said.toMillis() === at.toMillis()) return false;
  const isSkipped = said.hour !== at.hour || said.minute !== at.minute;
  return isSkipped ? said.hour + said.minute > 0 : at.getPossibleOffsets().length > 1;
}

function readersOf({ formats = [], locale = 'en', zone = 'utc' }: DateOptions): readonly Reader[] {
  const key = JSON.stringify([formats, locale, zone]);
  const known = readers.get(key) ?? formats.map((format) => readerOf(format, locale));
  readers.set(key, known);
  return known;
}

function readerOf(format: string, locale: string): Reader {
  const byName = named.get(format);
  if (byName !== undefined)
    return {
      read: (text, zone) => byName(text, { locale, zone, setZone: true }),
      precision: format === 'ISO' || format === 'RFC2822' ? writtenPrecision : () => 'second',
    };
  const pattern = patternOf(format);
  if ('unknown' in pattern) throw new RangeError(`expected a date format, got "${format}"`);
  const parser = DateTime.buildFormatParser(pattern.format, { locale });
  const precision = formatPrecision(pattern.format);
  return {
    read: (text, zone) => DateTime.fromFormatParser(text, parser, { locale, zone, setZone: true }),
    precision: () => precision,
  };
}

/** The precision of a text of ISO 8601 or RFC 2822. */
export function writtenPrecision(text: string): Precision {
  const [time] = /(?:T|:)\d\d.*/i.exec(text) ?? [];
  if (time !== undefined) {
    if (/^.?\d\d:?\d\d:?\d\d|^:\d\d:\d\d/.test(time)) return 'second';
    return /^T\d\d(?!:?\d)/i.test(time) ? 'hour' : 'minute';
  }
  if (/^\d{4}$/.test(text)) return 'year';
  if (/^\d{4}-\d\d$/.test(text)) return 'month';
  return /^\d{4}-?W\d\d$/.test(text) ? 'week' : 'day';
}

/** The smallest field that each letter of a format reads, the smallest first. */
const precisions: readonly (readonly [RegExp, Precision])[] = [
  [/[sSu]/, 'second'],
  [/m/, 'minute'],
  [/[Hh]/, 'hour'],
  [/[do]/, 'day'],
  [/W/, 'week'],
  [/[ML]/, 'month'],
  [/q/, 'quarter'],
];

function formatPrecision(format: string): Precision {
  const bare = bareOf(format);
  return precisions.find(([letters]) => letters.test(bare))?.[1] ?? 'year';
}

/** The tokens of a format, with those of whole dates written out and without its texts in quotes. */
function bareOf(format: string): string {
  return DateTime.expandFormat(format.replaceAll(/'[^']*'/g, ' '), { locale: 'en' }).replaceAll(/'[^']*'/g, ' ');
}

function patternOf(format: string): ReturnType<typeof luxonFormat> {
  return format.includes('%') ? luxonFormat(format) : { format };
}

const probe = { year: 2026, month: 11, day: 23, hour: 10, minute: 30, second: 15 };

/** The tokens of Luxon for one field, and those for whole dates and times. */
const fieldToken =
  /^(?:GG?|y|yy|yyyy|yyyyy|yyyyyy|M{1,4}|L{1,4}|dd?|o|ooo|HH?|hh?|mm?|qq?|ss?|S|SSS|u{1,3}|a|kk|kkkk|WW?|E|EEE|EEEE|c|ccc|cccc|Z{1,3}|z)$/;
const wholeToken = /^(?:D{1,4}|t{1,4}|T{1,4}|f{1,4}|F{1,4})$/;

/** What to write in place of tokens that other libraries have. */
const likely: Readonly<Record<string, string>> = {
  YYYY: 'yyyy',
  YY: 'yy',
  DD: 'dd',
  D: 'd',
  DDD: 'o',
  A: 'a',
  ddd: 'ccc',
  dddd: 'cccc',
};

/** Returns a phrase for what is wrong with a date format; undefined if it is valid. A format needs a year, or it would read another day every year. */
export function dateFormatFault(format: string): string | undefined {
  if (named.has(format)) return undefined;
  const pattern = patternOf(format);
  if ('unknown' in pattern) return `"${pattern.unknown}" is no token of strptime that is known here`;
  const tokens = pattern.format.replaceAll(/'[^']*'/g, ' ').match(/([a-zA-Z])\1*/g) ?? [];
  const isMixed = tokens.some((token) => fieldToken.test(token) || (!wholeToken.test(token) && token in likely));
  const foreign = tokens.find((token) => !fieldToken.test(token) && (isMixed || !wholeToken.test(token)));
  if (foreign !== undefined)
    return `"${foreign}" is no token of Luxon${wholeToken.test(foreign) ? ' beside others' : ''}: write ${foreign in likely ? `"${likely[foreign]}", or ` : ''}"'${foreign}'" for the letters themselves`;
  const bare = bareOf(pattern.format);
  const isStrptime = format.includes('%');
  if (!/[yk]/.test(bare)) return isStrptime ? 'it has no year (%Y)' : 'it has no year (yyyy)';
  if (/m/.test(bare) && !/[Hh]/.test(bare))
    return isStrptime
      ? 'it has minutes (%M) and no hour; %m is the month'
      : 'it has minutes (mm) and no hour; MM is the month';
  if (/d/.test(bare) && !/[ML]/.test(bare))
    return isStrptime ? 'it has a day and no month (%m)' : 'it has a day and no month (MM)';
  if (/h/.test(bare) && !/a/.test(bare))
    return isStrptime
      ? 'it has an hour of 12 (%I) and no %p; %H is one of 24'
      : 'it has an hour of 12 (h) and no "a"; H is one of 24';
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
