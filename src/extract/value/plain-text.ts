import type { Value } from './value.ts';

/** Longest text, address or JSON of a field, in characters: records are kept, compared and shown whole. */
export const longLength = 100_000;

/** Longest text that may be a number, a word or a date, in characters. Longer texts are refused unread, so that no pattern runs over them. */
export const shortLength = 200;

/**
 * Returns the text of a value for a type that reads short texts: without white space around it, and with one space for each run within.
 * Undefined for a text longer than 200 characters, for `true` and `false`, and for lists and objects.
 */
export function shortText(value: NonNullable<Value>): string | undefined {
  const text = trimmedText(value);
  return text === undefined || text.length > shortLength ? undefined : text.replaceAll(/\s+/g, ' ');
}

/** Returns the text of a string or a number without white space around it; undefined for every other value, as `true` is no number, date or address. */
export function trimmedText(value: NonNullable<Value>): string | undefined {
  return typeof value === 'boolean' ? undefined : plainText(value)?.trim();
}

/** Returns the text of a string, a number or a boolean; undefined for other values. A number is written in decimals, never with an exponent. */
export function plainText(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? decimalText(value) : undefined;
    default:
      return undefined;
  }
}

function decimalText(value: number): string {
  const text = String(value);
  const [digits = '', exponentText] = text.split('e');
  if (exponentText === undefined) return text;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const exponent = Number(exponentText);
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - whole.length)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(exponent, '0')}`;
}

/** Longest text that evidence quotes, in characters. */
const quotedLength = 200;

/** Returns a value as a message quotes it: on one line, cut after 200 characters. */
export function quoted(value: Value): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text
    .slice(0, quotedLength * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > quotedLength ? `${line.slice(0, quotedLength - 1)}…` : line;
}

/** Returns a digit of any script as one of 0 to 9. */
export function plainDigit(digit: string): string {
  if (digit >= '0' && digit <= '9') return digit;
  const at = digit.codePointAt(0) ?? 0;
  let value = 0;
  // The digits of a script follow each other, zero first.
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(at - value - 1))) value += 1;
  return String(value);
}
