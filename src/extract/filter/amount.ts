import { type DecimalMark, readDecimal } from '../value/decimal.ts';

/** Longest text in which a number is looked for, in characters. */
const longest = 1_000;

const digits = String.raw`\d(?:[\d.,'’ \u00a0\u2009\u202f]*\d)?|\.\d+`;
/** A hyphen within a word, as in `iPhone-15`, is no sign. */
const sign = String.raw`(?:(?<![\p{L}\d])[-+\u2212] ?(?=[\d.]))?`;
/** Letters that multiply: at once after the number and large, since `5 m` and `5m` are metres. */
const multiplier = String.raw`[kKMB]|bn| ?(?:mln|[Mm]io\.?|bn|[Tt]housand|[Mm]illion|[Bb]illion)`;
const numberForm = new RegExp(`(${sign}(?:${digits}))(?:(${multiplier})(?![\\p{L}\\d]))?`, 'gu');

const powers: ReadonlyMap<string, number> = new Map([
  ['k', 3],
  ['thousand', 3],
  ['m', 6],
  ['mln', 6],
  ['mio', 6],
  ['million', 6],
  ['b', 9],
  ['bn', 9],
  ['billion', 9],
]);

/**
 * Reads the only number in a text, whatever words stand around it: `482 backers`, `12k`, `€1.2M`, `-5 %`. Returns undefined for a
 * text with several numbers or none, and for one of more than 1,000 characters.
 */
export function readAmount(text: string, mark: DecimalMark): number | undefined {
  if (text.length > longest) return undefined;
  const found = [...text.matchAll(numberForm)];
  const [first] = found;
  if (first === undefined || found.length > 1) return undefined;
  const [, written = '', word = ''] = first;
  const decimal = readDecimal(written, mark, (each) => (each === '.' ? 'decimal' : 'grouping'));
  const power = powers.get(word.trim().toLowerCase().replace('.', '')) ?? 0;
  const value = decimal === undefined ? Number.NaN : Number(`${decimal}e${power}`);
  return Number.isFinite(value) ? value : undefined;
}
