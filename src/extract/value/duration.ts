import { type DecimalMark, localMark, readDecimal, withPlainDigits } from './decimal.ts';
import { type FieldType, Refused } from './field-type.ts';
import { localeSchema } from './locale.ts';
import { shortText } from './plain-text.ts';
import { unitNamed } from './unit.ts';

export interface DurationRule {
  readonly type: 'duration';
  /** What the two numbers of `1:30` are; three are hours, minutes and seconds. Default: texts with colons are refused. */
  readonly clock?: 'h:m' | 'm:s';
  readonly locale?: string;
}

/** A length of time, kept as ISO 8601. */
export const duration: FieldType<DurationRule> = {
  options: (z) => ({ clock: z.enum(['h:m', 'm:s']).exactOptional(), locale: localeSchema(z).exactOptional() }),
  expected: () => 'a length of time like "1 h 30 min"',
  read(value, rule) {
    const text = typeof value === 'string' ? shortText(value) : undefined;
    if (text === undefined) return undefined;
    const plain = withPlainDigits(text);
    const length = isoLength(plain) ?? clockLength(plain, rule.clock) ?? wordLength(plain, rule.locale);
    return length === undefined || length instanceof Refused ? length : isoText(length);
  },
  examples: [
    {
      field: '{ type: duration }',
      note: 'ISO 8601 in one spelling: 12 months are a year, 24 hours a day, 7 days stay days',
      text: '1h 30m',
      gives: '"PT1H30M"',
    },
    { field: '{ type: duration }', text: '90 minutes', gives: '"PT1H30M"' },
    { field: '{ type: duration }', text: 'P1W', gives: '"P7D"' },
    { field: '{ type: duration, locale: de }', note: '`locale`: names of units', text: '2 Stunden', gives: '"PT2H"' },
    {
      field: '{ type: duration, clock: "m:s" }',
      note: '`clock`: `h:m` or `m:s`, what two numbers with a colon are; three are hours, minutes and seconds',
      text: '4:05',
      gives: '"PT4M5S"',
    },
  ],
};

/** A length in months, which have no number of days, and in milliseconds. */
interface Length {
  readonly months: number;
  readonly ms: number;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

const unitMonths: Readonly<Record<string, number>> = { month: 1, year: 12 };

/** Letters that mean a unit in lengths of time only. */
const letters: Readonly<Record<string, string>> = {
  m: 'min',
  d: 'day',
  w: 'week',
  wk: 'week',
  wks: 'week',
  y: 'year',
  mo: 'month',
  mos: 'month',
  h: 'h',
  s: 's',
};

const isoForm =
  /^P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

function isoLength(text: string): Length | undefined {
  const found = isoForm.exec(text);
  if (found === null) return undefined;
  const units = ['year', 'month', 'week', 'day', 'h', 'min', 's'];
  return sumOf(units.map((unit, index) => [Number(found[index + 1] ?? 0), unit] as const));
}

function clockLength(text: string, clock: DurationRule['clock']): Length | Refused | undefined {
  const found = /^(\d{1,4}):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (found === null) return undefined;
  if (clock === undefined) return new Refused(`"clock" for what "${text}" is`);
  const [, first, second, third] = found;
  const units = third === undefined && clock === 'm:s' ? ['min', 's'] : ['h', 'min', 's'];
  return sumOf([first, second, third].map((each, index) => [Number(each ?? 0), units[index] ?? 's'] as const));
}

const pairForm = /\s*(\d+(?:[.,]\d+)?)\s*([^\d]+?)(?:,|\s(?:and|und|et|y|e|en|och|og|&))?(?=\s*\d|$)/iuy;

function wordLength(text: string, locale: string | undefined): Length | undefined {
  const mark: DecimalMark = locale === undefined ? undefined : localMark(locale);
  const found: (readonly [amount: number, unit: string])[] = [];
  for (let at = 0; at < text.length; at = pairForm.lastIndex) {
    pairForm.lastIndex = at;
    const [, number = '', written = ''] = pairForm.exec(text) ?? [];
    const word = written.trim().replace(/\.$/, '');
    // A large M alone may be a month.
    const unit = word === 'M' ? undefined : (letters[word.toLowerCase()] ?? unitNamed(word, locale)?.symbol);
    const amount = readDecimal(number, undefined, (each) =>
      mark === undefined ? 'unknown' : each === mark ? 'decimal' : 'grouping',
    );
    if (amount === undefined || unit === undefined || found.some(([, other]) => other === unit)) return undefined;
    found.push([Number(amount), unit]);
  }
  return sumOf(found);
}

function sumOf(parts: readonly (readonly [amount: number, unit: string])[]): Length | undefined {
  let [months, ms] = [0, 0];
  for (const [amount, unit] of parts) {
    const [ofMonths, ofMs] = [unitMonths[unit], unitMs[unit]];
    if (ofMonths !== undefined) months += amount * ofMonths;
    else if (ofMs !== undefined) ms += Math.round(amount * ofMs);
    else return undefined;
  }
  return parts.length > 0 && Number.isSafeInteger(months) && Number.isSafeInteger(ms) ? { months, ms } : undefined;
}

function isoText({ months, ms }: Length): string {
  const seconds = (ms % 60_000) / 1_000;
  const date = [part(Math.floor(months / 12), 'Y'), part(months % 12, 'M'), part(Math.floor(ms / 86_400_000), 'D')];
  const time = [
    part(Math.floor(ms / 3_600_000) % 24, 'H'),
    part(Math.floor(ms / 60_000) % 60, 'M'),
    part(seconds, 'S'),
  ];
  const text = `${date.join('')}${time.join('') && `T${time.join('')}`}`;
  return `P${text || 'T0S'}`;
}

function part(amount: number, letter: string): string {
  return amount === 0 ? '' : `${amount}${letter}`;
}
