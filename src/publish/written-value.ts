import { isMapping } from './values.ts';

/** A field's value for people: `12.50 EUR`, `1, 2`, `–` for none. */
export function writtenValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (Array.isArray(value)) return value.map(writtenValue).join(', ');
  if (typeof value === 'string') return value;
  const { amount, currency, unit } = isMapping(value) ? value : {};
  const of = currency ?? unit;
  return amount !== undefined && typeof of === 'string' ? `${writtenValue(amount)} ${of}` : JSON.stringify(value);
}
