import { type DecimalMark, readDecimal } from './decimal.ts';

/** A whole number that JavaScript holds exactly: `482`, `1,234`, `1.234.567`. Marks before three digits part groups, since decimals cannot be meant. */
export function readInteger(text: string, mark: DecimalMark): number | undefined {
  const decimal = readDecimal(text, mark, () => 'grouping');
  if (decimal === undefined || decimal.includes('.')) return undefined;
  const value = Number(decimal);
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * A number: as machines write it, `-1.5e3`, or as people do. Where the definition names no decimal mark, `1.234` is little
 * more than one, as machines write it, and `1,234` is a thousand.
 */
export function readNumber(text: string, mark: DecimalMark): number | undefined {
  const isMachine = mark !== ',' && /^[-+]?\d+(?:\.\d+)?e[-+]?\d{1,3}$/i.test(text);
  const decimal = isMachine ? text : readDecimal(text, mark, (found) => (found === '.' ? 'decimal' : 'grouping'));
  const value = Number(decimal ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
