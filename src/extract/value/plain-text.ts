import type { Value } from '../draft.ts';

/** The text that a value is, if it is one: of a number its decimal text, never with an exponent. */
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
