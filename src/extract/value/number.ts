import { type DecimalMark, type DecimalOption, decimalOption, readDecimal } from './decimal.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** A number, with decimals or without. */
export const number: FieldType<{ readonly type: 'number' } & DecimalOption> = {
  isNumber: true,
  options: (z) => ({ decimal: decimalOption(z) }),
  expected: () => 'a number',
  read(value, { decimal }) {
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    const text = shortText(value);
    return text === undefined ? undefined : readNumber(text, decimal);
  },
  examples: [
    {
      field: '{ type: number, decimal: "," }',
      note: '`decimal`: `.` or `,`, where "1.234" could be either',
      text: '1.234,5',
      gives: '1234.5',
    },
  ],
};

/** Reads `-1.5e3` and what people write. Without a mark, `1.234` is a little more than one, as programs write it, and `1,234` is a thousand. */
function readNumber(text: string, mark: DecimalMark): number | undefined {
  const isMachine = mark !== ',' && /^[-+]?\d+(?:\.\d+)?e[-+]?\d{1,3}$/i.test(text);
  const decimal = isMachine ? text : readDecimal(text, mark, (found) => (found === '.' ? 'decimal' : 'grouping'));
  const value = Number(decimal ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
