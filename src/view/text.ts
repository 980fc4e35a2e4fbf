import { stripVTControlCharacters } from 'node:util';
import { amountText } from './amount-text.ts';

const hidden = String.raw`[^\P{Cc}\n\r\t]|[\u202A-\u202E\u2066-\u2069]`;

/** Characters that hide, or that move what stands around them: control characters but line breaks and tabs, and marks that set a direction of writing. */
export const hiddenCharacters = new RegExp(hidden, 'gu');

const hiddenOrBreaks = new RegExp(`(?:${hidden}|[\\n\\r\\t])+`, 'gu');

/** Puts a text from elsewhere on one line and removes control characters, which could steer the terminal. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(hiddenOrBreaks, ' ').trim();
}

/** Formats a field's value: money as `12.50 EUR`, quantities as `6 × 330 ml`, lists with commas, no value as `–`. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return plainText(amountText(value) ?? JSON.stringify(value));
}

/** Formats a figure, rounded to two places after the point where it is an amount and to four where it is a number. */
export function figureText(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value)
    return `${Number(value.amount).toFixed(2)} ${valueText(value.currency)}`;
  return valueText(value);
}

/** Whether a value is a text or a list, which still tells something where it is cut. */
export function isText(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

/** Formats a count with its noun: `1 project`, `2 projects`, `2 entries`. */
export function countText(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`.replace(/(?<![aeiou])ys$/, 'ies')}`;
}

/** Formats how many of something there are in a minute, to a tenth. */
export function rateText(perMinute: number): string {
  return (Math.round(perMinute * 10) / 10).toString();
}

/** Formats a number of bytes: `512 B`, `1.4 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const exponent = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** exponent).toFixed(1)} ${'kMGT'[exponent - 1]}B`;
}

/** Cuts a text to a length in characters, with `…` at its end where it was longer. */
export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Quotes a text as one word of a shell's command line. */
export function shellText(text: string): string {
  const plain = plainText(text);
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", String.raw`'\''`)}'`;
}

/** Formats the projects that watch a target: the first, and how many more there are. */
export function projectsText(projects: readonly string[]): string {
  return moreText(projects.slice(0, 1), projects.length);
}

/** Formats the other projects that watch a target. */
export function othersText({ count, first }: { readonly count: number; readonly first: readonly string[] }): string {
  return `with ${moreText(first, count)}`;
}

function moreText(named: readonly string[], count: number): string {
  const more = count - named.length;
  return `${named.join(', ')}${more > 0 ? ` +${more}` : ''}`;
}
