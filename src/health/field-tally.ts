import type { Value } from '../extract/value/value.ts';
import { isEmptyValue, numberOf } from './guard.ts';
import { emptyField, type FieldTally, type LogSum } from './tally.ts';
import { isGarbled, textShape } from './text-shape.ts';
import { type TopValues, topValues } from './top-values.ts';

/** A field of a record now and in the last healthy run. */
export interface FieldPair {
  /** `null` for none, as for a value that clears. */
  readonly now: Value;
  /** `null` for a record that had none; missing for one that was not known. */
  readonly before?: Value;
}

/** A number that moved by more than this factor either way may have another unit or decimal point. No sale at half price does. */
const farFactor = 2.1;

/** Factors are the same if they differ by less than this part. */
const factorStep = 0.02;

/** Returns a field of a record now and before. */
export function pairOf(
  name: string,
  now: Readonly<Record<string, Value>>,
  before: Readonly<Record<string, Value>> | undefined,
): FieldPair {
  const value = valueIn(now, name);
  return before === undefined ? { now: value } : { now: value, before: valueIn(before, name) };
}

function valueIn(values: Readonly<Record<string, Value>>, name: string): Value {
  return (Object.hasOwn(values, name) ? values[name] : undefined) ?? null;
}

/** Tallies a field of the records of a page. */
export function fieldTally(records: readonly FieldPair[]): FieldTally {
  const values = records.map(({ now }) => now).filter((value) => value !== null);
  const had = records.filter(({ before = null }) => before !== null);
  const filled = had.filter(({ now, before = null }) => now !== null && !isEmptyValue(before));
  const pairs = had.flatMap(({ now, before = null }) =>
    now === null ? [] : [{ now, before, nowHash: hashOf(now), beforeHash: hashOf(before) }],
  );
  const altered = pairs.filter(({ nowHash, beforeHash }) => nowHash !== beforeHash);
  const numbers = pairs.flatMap(({ now, before }) => {
    const [to, from] = [numberOf(now), numberOf(before)];
    return to === undefined || from === undefined ? [] : [{ to, from }];
  });
  const texts = values.filter((value) => typeof value === 'string');
  const fresh = records.filter(({ now, before }) => now !== before).map(({ now }) => now);
  const amounts = values.flatMap((value) => numberOf(value)?.amount ?? []);
  return {
    ...emptyField,
    total: records.length,
    seen: values.length,
    had: had.length,
    lost: had.length - pairs.length,
    empty: values.filter(isEmptyValue).length,
    filled: filled.length,
    emptied: filled.filter(({ now }) => isEmptyValue(now)).length,
    pairs: pairs.length,
    altered: altered.length,
    numbers: numbers.length,
    currency: numbers.filter(({ to, from }) => to.of !== from.of).length,
    texts: pairs.filter(({ now, before }) => typeof now === 'string' && typeof before === 'string').length,
    shape: altered.filter(({ now, before }) => isReshaped(now, before)).length,
    read: texts.length,
    garbled: fresh.filter((value) => typeof value === 'string' && isGarbled(value)).length,
    level: logsOf(amounts.map(Math.abs)),
    length: logsOf(values.flatMap((value) => lengthOf(value) ?? [])),
    ...(amounts.length > 0 && { min: Math.min(...amounts), max: Math.max(...amounts) }),
    values: topValues(values.map(hashOf)),
    before: topValues(pairs.map(({ beforeHash }) => beforeHash)),
    factors: factorsOf(numbers.map(({ to, from }) => to.amount / from.amount)),
  };
}

function isReshaped(now: Value, before: Value): boolean {
  return typeof now === 'string' && typeof before === 'string' && textShape(now) !== textShape(before);
}

/** The logarithms of those that are not 0. */
function logsOf(numbers: readonly number[]): LogSum {
  const logs = numbers.filter((each) => each > 0).map(Math.log);
  return { count: logs.length, sum: logs.reduce((sum, each) => sum + each, 0) };
}

/** The factors that are far from 1, as whole steps of their logarithm. */
function factorsOf(factors: readonly number[]): TopValues {
  const far = factors.filter(
    (each) => Number.isFinite(each) && (each > farFactor || (each > 0 && each < 1 / farFactor)),
  );
  return topValues(far.map((each) => Math.round(Math.log(each) / factorStep)));
}

/** The length of a text or a list. */
function lengthOf(value: Value): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}

/** A hash of a value (FNV-1a over UTF-16): values with one hash are taken for the same. */
function hashOf(value: Value): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
