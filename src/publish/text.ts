import { amountText } from '../view/amount-text.ts';

/** A field's value for people: `12.50 EUR`, `1, 2`, `–` for none. */
export function writtenValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (Array.isArray(value)) return value.map(writtenValue).join(', ');
  return typeof value === 'string' ? value : (amountText(value) ?? JSON.stringify(value));
}

/** Cuts a text to a length in characters, with `…` at its end where it was longer. */
export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
