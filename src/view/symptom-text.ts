import { durationText } from '../time-text.ts';
import type { Symptom } from './symptom.ts';

/** What each measure of symptoms is called. `docs/health.md` has the same names. */
const measureTexts: Readonly<Record<string, string>> = {
  records: 'records',
  found: 'share of scrapes that found one',
  missing: 'share of known records not found',
  new: 'new records',
  changed: 'share of known records that changed',
  fill: 'share of records with it',
  lost: 'share of records that lost it',
  empty: 'share of values that are empty or zero',
  emptied: 'share of known records whose value became empty or zero',
  one_value: 'share of the most frequent value',
  merged: 'share of known records that all have one value now',
  level: 'mean of the numbers',
  length: 'mean length',
  rescaled: 'share of known records whose number moved by one factor',
  currency: 'share of known records in another currency or unit',
  shape: 'share of known records whose text is of another kind',
  altered: 'share of known records whose text differs',
  garbled: 'share of texts read in a wrong charset',
  refused: 'share of places that are no record',
  unread: 'share of pages of items that could not be read',
  failed: 'share of requests that failed',
  page_bytes: 'mean bytes of a page',
  request_ms: 'mean milliseconds of a request',
  loop: 'crawls ended as their pages repeat',
  failures: 'failures in a row',
  openings: 'most targets fail; openings of the circuit',
  ageMs: 'not verified for',
  neededMs: 'to ask for all targets takes',
  silentMs: 'not heard of for',
  broken: 'share of steps that worker processes broke',
  queuedMs: 'a step waits for a worker process for',
};

/** A symptom in words: `product.price: share of records with it 0.9, usually 0.97 to 1 (of 120)`. */
export function symptomText(symptom: Symptom): string {
  const { kind, record, field, worker, measure, observed, expected = {}, of } = symptom;
  if (kind === 'rule') return `${record === undefined ? '' : `${record}: `}${ruleText(symptom)}`;
  const numberText = measure.endsWith('Ms') ? durationText : roundedText;
  const subject = [worker, record, field].filter((part) => part !== undefined).join('.');
  const what = measureTexts[measure] ?? measure.replaceAll('_', ' ');
  const { low, high, median } = expected;
  // Some limits are passed where they are reached.
  const isAt = (limit: number): boolean => numberText(limit) === numberText(observed);
  const usual =
    low !== undefined && high !== undefined
      ? `, usually ${numberText(low)} to ${numberText(high)}`
      : low !== undefined
        ? `, usually ${isAt(low) ? 'more than' : 'at least'} ${numberText(low)}`
        : high !== undefined
          ? `, usually ${isAt(high) ? 'less than' : 'at most'} ${numberText(high)}`
          : median !== undefined
            ? `, usually ${numberText(median)}`
            : '';
  const count = of === undefined ? '' : ` (of ${of})`;
  const told = measure === 'failures' ? `${observed} ${what}` : `${what} ${numberText(observed)}`;
  return `${subject === '' ? '' : `${subject}: `}${told}${usual}${count}`;
}

/** A condition that is not met, with each of the figures that it names. */
function ruleText({ measure, observed, figures = {} }: Symptom): string {
  const told = Object.entries(figures).map(([name, number]) =>
    name.endsWith('.unique')
      ? `${name.slice(0, -'.unique'.length)} ${number === 0 ? 'has a value twice' : 'has no value twice'}`
      : `${name} is ${roundedText(number)}`,
  );
  return `expected ${measure}, but ${told.length === 0 ? `it is ${roundedText(observed)}` : told.join(', ')}`;
}

/** A number with three digits behind the point at most. */
function roundedText(number: number): string {
  return String(Math.round(number * 1_000) / 1_000);
}
