import { type DecimalMark, type DecimalOption, decimalOption, readDecimal } from './decimal.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** A whole number that JavaScript holds exactly. */
export const integer: FieldType<{ readonly type: 'integer' } & DecimalOption> = {
  isNumber: true,
  options: (z) => ({ decimal: decimalOption(z) }),
  isKey: true,
  expected: () => 'a whole number',
  read(value, { decimal }) {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
    const text = shortText(value);
    return text === undefined ? undefined : readInteger(text, decimal);
  },
  examples: [
    { field: '{ type: integer }', note: '`decimal`', text: '1,234', gives: '1234' },
    { field: '{ type: integer }', text: '3.5', gives: 'lost' },
  ],
};

/** Reads `482`, `1,234` and `1.234.567`. A mark before three digits parts groups, as there can be no decimals. */
function readInteger(text: string, mark: DecimalMark): number | undefined {
  const decimal = readDecimal(text, mark, () => 'grouping');
  if (decimal === undefined || decimal.includes('.')) return undefined;
  const value = Number(decimal);
  return Number.isSafeInteger(value) ? value : undefined;
}
