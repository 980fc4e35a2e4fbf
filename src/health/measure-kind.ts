import type { SymptomKind } from '../view/symptom.ts';
import type { Scale } from './scale.ts';

/** How a measure is judged. */
export interface MeasureKind {
  readonly symptom: SymptomKind;
  readonly scale: Scale;
  /** Which values are unusual: those that are too low, those that are too high, or both. */
  readonly side: 'low' | 'high' | 'both';
  /** The least distance of a limit from the median of the healthy runs. */
  readonly least: number;
  /** Values under this are never unusual. */
  readonly from?: number;
  /** The share from which on a value is unusual before there is a baseline, if its records are at least `records`. */
  readonly limitWithoutBaseline?: { readonly share: number; readonly records: number };
  /** The number of days that healthy runs must span before it is judged; `leastRuns` of them are enough for all others. */
  readonly days?: number;
  /** Set where one run past the limit is no symptom: it must last for a day and two runs. */
  readonly mustLast?: true;
  /** Set where the limit is also so many times the counting noise that chance does not pass it. */
  readonly isCounted?: true;
  /** Set where hours and days of the week differ: it is judged once healthy runs span a day. */
  readonly isWeekly?: true;
  /** Set where it measures the step from one value to the next: a person who accepts a run accepts what it came to, not that it happens again. */
  readonly isStep?: true;
}

/** A factor of 3.5 on a floor of 5 %, after which 820 of 1,000 records are too few and 850 are not. */
const countLeast = 3.5 * 0.05;

/** A factor of 3.5 on a floor of 0.02, after which a fill of 0.90 is too low where 0.99 is usual. */
const shareLeast = 3.5 * 0.02;

/** A share of more than half of a few records. Guards of held values take the same for most. */
const half = (records: number): { readonly share: number; readonly records: number } => ({ share: 0.5, records });

/** The least number of records by which a share is judged. */
export const fewestOfShare = 8;

/** What is unusual from half of a few records on; a baseline shows how often it is seen in healthy runs. */
const often = {
  scale: 'share',
  side: 'high',
  least: shareLeast,
  limitWithoutBaseline: half(fewestOfShare),
  isCounted: true,
} as const;

/** What of a known record is compared with what the record had before. */
const paired = { ...often, isStep: true } as const;

/**
 * The measures of a run by name, each with how it is judged. `least` of size, time, requests and levels is the result of simulated healthy sources, so
 * that ordinary slow days, sales and changes of layout are no symptom.
 */
export const measureKinds = {
  /** The number of records of a type. */
  records: { symptom: 'records', scale: 'count', side: 'both', least: countLeast, isWeekly: true },
  /** Of a round: the share of scrapes that found a record of the type. */
  found: { symptom: 'records', scale: 'share', side: 'low', least: shareLeast, isCounted: true },
  /** The share of known records that were not found. */
  missing: { ...paired, symptom: 'missing', least: 0.15, limitWithoutBaseline: half(10) },
  /** The number of new records: a factor of 5, as sites add many at once. */
  new: {
    symptom: 'changes',
    scale: 'count',
    side: 'both',
    least: 1.6,
    mustLast: true,
    isCounted: true,
    isWeekly: true,
  },
  /** The share of known records that changed. */
  changed: {
    symptom: 'changes',
    scale: 'share',
    side: 'high',
    least: shareLeast,
    mustLast: true,
    isCounted: true,
    isWeekly: true,
  },
  /** The share of records that have a field. */
  fill: { symptom: 'field', scale: 'share', side: 'low', least: shareLeast, isCounted: true },
  /** The share of known records that had a field and lost it. */
  lost: { ...paired, symptom: 'field' },
  /** The share of values that say nothing, as zero or an empty text. */
  empty: { symptom: 'values', scale: 'share', side: 'high', least: shareLeast, isCounted: true },
  /** The share of known records whose value said something and is empty now. */
  emptied: { ...paired, symptom: 'values', limitWithoutBaseline: { share: 0.9, records: fewestOfShare } },
  /** The share of the most frequent value. */
  one_value: { symptom: 'values', scale: 'share', side: 'high', least: 0.45, from: 0.95, isCounted: true },
  /** The share of the most frequent value among known records whose values differed in the last healthy run. */
  merged: { ...paired, symptom: 'values', least: 0.45, limitWithoutBaseline: { share: 0.95, records: fewestOfShare } },
  /** The mean logarithm of numbers and amounts: a factor of 2.1, which no sale at half price passes. */
  level: { symptom: 'values', scale: 'level', side: 'both', least: 0.75 },
  /** The mean logarithm of the length of texts and lists. */
  length: { symptom: 'values', scale: 'level', side: 'both', least: 0.75 },
  /** The share of known records whose number moved by one factor; a clearance has a part of a catalogue at such a price. */
  rescaled: { ...paired, symptom: 'values', least: 0.3 },
  /** The share of known records whose amount has another currency or unit. */
  currency: { ...paired, symptom: 'values' },
  /** The share of known records whose text is of another kind, as an address or markup. */
  shape: { ...paired, symptom: 'values' },
  /** The share of known records whose text differs: nearly all at once, where hardly any do. Some texts change on all records once a week, which only two weeks show. */
  altered: { symptom: 'values', scale: 'share', side: 'high', least: 0.9, days: 14, isCounted: true },
  /** The share of texts that were decoded by a wrong charset. */
  garbled: { ...often, symptom: 'values' },
  /** The share of places that should have been records and are none. */
  refused: {
    symptom: 'errors',
    scale: 'share',
    side: 'high',
    least: shareLeast,
    limitWithoutBaseline: { share: 0.2, records: 10 },
    isCounted: true,
  },
  /** The share of requests that failed, or that an error status answered. */
  failed: {
    symptom: 'status',
    scale: 'share',
    side: 'high',
    least: 0.2,
    limitWithoutBaseline: half(10),
    isCounted: true,
  },
  /** The mean size of a page in bytes. */
  page_bytes: { symptom: 'size', scale: 'count', side: 'both', least: 0.4, mustLast: true, isWeekly: true },
  /** The mean time of a request in milliseconds. */
  request_ms: { symptom: 'duration', scale: 'count', side: 'high', least: 1, mustLast: true, isWeekly: true },
} satisfies Readonly<Record<string, MeasureKind>>;

/** The name of a measure. */
export type MeasureName = keyof typeof measureKinds;

/** One number of a run. */
export interface Measure {
  readonly name: MeasureName;
  /** The type of the records; missing for a measure of the source as a whole. */
  readonly record?: string;
  readonly field?: string;
  readonly value: number;
  /** How many records, requests or places a share or a level is of. */
  readonly of?: number;
}

/** Returns how a measure is judged. */
export function kindOf(name: MeasureName): MeasureKind {
  return measureKinds[name];
}

/** Returns the identity of a measure: the same measure in two runs has the same. */
export function measureId({ name, record = '', field = '' }: Pick<Measure, 'name' | 'record' | 'field'>): string {
  return field === '' ? (record === '' ? name : `${name} ${record}`) : `${name} ${record} ${field}`;
}
