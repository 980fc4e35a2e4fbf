import type { Schemas } from './field-type.ts';
import { plainDigit } from './plain-text.ts';

/** The options of types and filters that read numbers. */
export interface DecimalOption {
  /** The mark before decimals. Default: it is found out. */
  readonly decimal?: '.' | ',';
}

/** The mark before decimals; undefined if it is to be found out. */
export type DecimalMark = DecimalOption['decimal'] | undefined;

/** The schema of the mark before decimals, for pages in whose language "1.234" and "1,234" could be either. */
export function decimalOption(z: Schemas) {
  return z.enum(['.', ',']).exactOptional();
}

/** Decides what a single mark before three digits means, as in `1.234`, if nothing in the text settles it; `unknown` refuses the text. */
export type Ambiguous = (mark: '.' | ',') => 'decimal' | 'grouping' | 'unknown';

/** Any kind of space or apostrophe that languages put between groups of digits. */
const spaces = /[\s\u00a0\u2009\u202f]/g;
const apostrophes = /['’\u066c]/g;

/** Marks of the direction of writing, which are no part of what is written. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text with the digits of all scripts as 0 to 9, and without marks of the direction of writing. */
export function withPlainDigits(text: string): string {
  return text.replaceAll(directions, '').replaceAll(/\p{Nd}/gu, plainDigit);
}

/** Marks before decimals by language, and by currency where they are of amounts. Definitions name few of both. */
const marks = new Map<string, DecimalMark>();

/** Returns the mark before decimals of a language: of its amounts of a currency, or of its numbers. */
export function localMark(locale: string, currency?: string): DecimalMark {
  const id = `${locale} ${currency ?? ''}`;
  if (!marks.has(id)) {
    const options = currency === undefined ? {} : { style: 'currency' as const, currency, minimumFractionDigits: 2 };
    const format = new Intl.NumberFormat(locale, { ...options, numberingSystem: 'latn' });
    const mark = format.formatToParts(0.25).find(({ type }) => type === 'decimal')?.value;
    marks.set(id, mark === '.' || mark === ',' ? mark : undefined);
  }
  return marks.get(id);
}

/**
 * Reads a number as people write it. Returns it with a decimal point and without group marks, as `-1234.5`; undefined if the text is
 * no number. Groups are of three digits
 * (or India's, `12,34,567`), parted by spaces, apostrophes, points or commas. Of two kinds of mark the last one is the
 * decimal mark; one that comes several times parts groups; one that comes once is the decimal mark, but before exactly
 * three digits, where `ambiguous` decides unless the number begins with 0. The marks of Arabic mean one thing each.
 */
export function readDecimal(text: string, mark: DecimalMark, ambiguous: Ambiguous): string | undefined {
  const found = /^([-+\u2212]?)\s?(\d.*|\.\d+)$/s.exec(text);
  if (found === null) return undefined;
  const [, sign = '', digits = ''] = found;
  const isArabic = digits.includes('\u066b');
  const plain = digits.replaceAll(spaces, ' ').replaceAll(apostrophes, "'").replaceAll('\u066b', '.');
  const decimal = isArabic ? '.' : (mark ?? decimalMark(plain, ambiguous));
  if (decimal === 'unknown') return undefined;
  const at = decimal === undefined ? -1 : plain.lastIndexOf(decimal);
  const whole = at < 0 ? plain : plain.slice(0, at);
  const fraction = at < 0 ? '' : plain.slice(at + 1);
  const ungrouped = ungroup(whole, decimal);
  if (ungrouped === undefined || !/^\d*$/.test(fraction) || (at >= 0 && fraction === '')) return undefined;
  const integer = ungrouped.replace(/^0+(?=\d)/, '') || '0';
  const isZero = /^0*$/.test(integer + fraction);
  return `${isZero || sign === '' || sign === '+' ? '' : '-'}${integer}${fraction === '' ? '' : `.${fraction}`}`;
}

function decimalMark(text: string, ambiguous: Ambiguous): DecimalMark | 'unknown' {
  const marks = text.replaceAll(/[^.,]/g, '');
  const last = marks.at(-1);
  if (last !== '.' && last !== ',') return undefined;
  if (marks.length > 1) return marks.indexOf(last) === marks.length - 1 ? last : undefined;
  const isGroup = /^[1-9]\d{0,2}[.,]\d{3}$/.test(text);
  const meaning = isGroup ? ambiguous(last) : 'decimal';
  return meaning === 'decimal' ? last : meaning === 'grouping' ? undefined : meaning;
}

/** The digits of a whole number, or nothing when its marks do not stand where marks of groups do. */
function ungroup(whole: string, decimal: DecimalMark): string | undefined {
  if (/^\d*$/.test(whole)) return whole;
  const [mark] = /[ '.,]/.exec(whole) ?? [];
  if (mark === undefined || mark === decimal) return undefined;
  const groups = whole.split(mark);
  const [first = '', ...others] = groups;
  const isThousands = /^\d{1,3}$/.test(first) && others.every((group) => /^\d{3}$/.test(group));
  const isIndian = mark === ',' && /^\d{1,2}(?:,\d\d)+,\d{3}$/.test(whole);
  return isThousands || isIndian ? groups.join('') : undefined;
}
