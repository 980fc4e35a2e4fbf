import type { Schemas } from './field-type.ts';

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

/** Decides what a single mark before three digits means, as in `1.234`, if nothing in the text settles it. */
export type Ambiguous = (mark: '.' | ',') => 'decimal' | 'grouping';

/** Any kind of space or apostrophe that languages put between groups of digits. */
const spaces = /[\s\u00a0\u2009\u202f]/g;
const apostrophes = /['’]/g;

/**
 * Reads a number as people write it. Returns it with a decimal point and without group marks, as `-1234.5`; undefined if the text is
 * no number. Groups are of three digits
 * (or India's, `12,34,567`), parted by spaces, apostrophes, points or commas. Of two kinds of mark the last one is the
 * decimal mark; one that comes several times parts groups; one that comes once is the decimal mark, but before exactly
 * three digits, where `ambiguous` decides unless the number begins with 0.
 */
export function readDecimal(text: string, mark: DecimalMark, ambiguous: Ambiguous): string | undefined {
  const found = /^([-+\u2212]?)\s?(\d.*|\.\d+)$/s.exec(text);
  if (found === null) return undefined;
  const [, sign = '', digits = ''] = found;
  const plain = digits.replaceAll(spaces, ' ').replaceAll(apostrophes, "'");
  const decimal = mark ?? decimalMark(plain, ambiguous);
  const at = decimal === undefined ? -1 : plain.lastIndexOf(decimal);
  const whole = at < 0 ? plain : plain.slice(0, at);
  const fraction = at < 0 ? '' : plain.slice(at + 1);
  const ungrouped = ungroup(whole, decimal);
  if (ungrouped === undefined || !/^\d*$/.test(fraction) || (at >= 0 && fraction === '')) return undefined;
  const integer = ungrouped.replace(/^0+(?=\d)/, '') || '0';
  const isZero = /^0*$/.test(integer + fraction);
  return `${isZero || sign === '' || sign === '+' ? '' : '-'}${integer}${fraction === '' ? '' : `.${fraction}`}`;
}

function decimalMark(text: string, ambiguous: Ambiguous): DecimalMark {
  const marks = text.replaceAll(/[^.,]/g, '');
  const last = marks.at(-1);
  if (last !== '.' && last !== ',') return undefined;
  if (marks.length > 1) return marks.indexOf(last) === marks.length - 1 ? last : undefined;
  const isGroup = /^[1-9]\d{0,2}[.,]\d{3}$/.test(text);
  return isGroup && ambiguous(last) === 'grouping' ? undefined : last;
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
