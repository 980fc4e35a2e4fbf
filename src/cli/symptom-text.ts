import { durationText } from '../time-text.ts';
import type { Symptom } from '../view/symptom.ts';

/** What the measures of symptoms are called, where their own names say too little. */
const measureTexts: Readonly<Record<string, string>> = {
  fill: 'share of records with it',
  lost: 'share of records that lost it',
  missing: 'share of known records not found',
  openings: 'most targets fail; openings of the circuit',
  ageMs: 'not verified for',
  neededMs: 'to ask for all targets takes',
};

/** A symptom in words: `product.price: share of records with it 0.9, usually 0.97 to 1 (of 120)`. */
export function symptomText({ kind, record, field, measure, observed, expected = {}, of }: Symptom): string {
  const numberText = measure.endsWith('Ms') ? durationText : roundedText;
  const subject = [record, field].filter((part) => part !== undefined).join('.');
  const what =
    kind === 'rule' ? `expected ${measure}, but it is` : (measureTexts[measure] ?? measure.replaceAll('_', ' '));
  const { low, high, median } = expected;
  const usual =
    low !== undefined && high !== undefined
      ? `, usually ${numberText(low)} to ${numberText(high)}`
      : low !== undefined
        ? `, usually at least ${numberText(low)}`
        : high !== undefined
          ? `, usually at most ${numberText(high)}`
          : median !== undefined
            ? `, usually ${numberText(median)}`
            : '';
  const count = of === undefined ? '' : ` (of ${of})`;
  return `${subject === '' ? '' : `${subject}: `}${what} ${numberText(observed)}${usual}${count}`;
}

/** A number with three digits behind the point at most. */
function roundedText(number: number): string {
  return String(Math.round(number * 1_000) / 1_000);
}
