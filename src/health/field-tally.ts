import type { Value } from '../extract/value/value.ts';
import { amountIn } from '../view/amount.ts';
import { isEmptyValue } from './guard.ts';
import { isFar } from './odd-value.ts';
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

/** Factors are the same if they differ by less than this part. */
const factorStep = 0.02;

/** Stands for a factor below 0, beyond all steps. */
const otherSign = 1_000_000;

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

/** Tallies a field of the records of a page: in one pass, as each scrape has it done for all of its fields. */
export function fieldTally(records: readonly FieldPair[]): FieldTally {
  const sum: { -readonly [Name in keyof FieldTally]: FieldTally[Name] } = { ...emptyField, total: records.length };
  const [level, length] = [new Logs(), new Logs()];
  const values: number[] = [];
  const earlier: number[] = [];
  const factors: number[] = [];
  for (const { now, before = null } of records) {
    if (before !== null) sum.had += 1;
    if (now === null) continue;
    const hash = hashOf(now);
    values.push(hash);
    const number = amountIn(now);
    const isEmpty = isEmptyValue(now);
    if (isEmpty) sum.empty += 1;
    if (number !== undefined) {
      level.add(Math.abs(number.amount));
      sum.min = Math.min(sum.min ?? Infinity, number.amount);
      sum.max = Math.max(sum.max ?? -Infinity, number.amount);
    }
    if (typeof now === 'string' || Array.isArray(now)) length.add(now.length);
    if (typeof now === 'string') {
      sum.read += 1;
      if (now !== before && isGarbled(now)) sum.garbled += 1;
    }
    if (before === null) continue;
    const hashBefore = now === before ? hash : hashOf(before);
    earlier.push(hashBefore);
    // Most values are as they were.
    const isAltered = hash !== hashBefore;
    if (isAltered) sum.altered += 1;
    if (isAltered ? !isEmptyValue(before) : !isEmpty) {
      sum.filled += 1;
      if (isEmpty) sum.emptied += 1;
    }
    if (typeof now === 'string' && typeof before === 'string') {
      sum.texts += 1;
      if (isAltered && textShape(now) !== textShape(before)) sum.shape += 1;
    }
    const from = isAltered ? number && amountIn(before) : number;
    if (number === undefined || from === undefined) continue;
    sum.numbers += 1;
    if (number.of !== from.of) sum.currency += 1;
    if (number.amount !== from.amount) factors.push(number.amount / from.amount);
  }
  const frequent = topValues(values);
  return {
    ...sum,
    seen: values.length,
    pairs: earlier.length,
    lost: sum.had - earlier.length,
    level: level.sum(),
    length: length.sum(),
    values: frequent,
    // Most fields of most pages are as they were.
    before: sum.altered === 0 && earlier.length === values.length ? frequent : topValues(earlier),
    factors: factorsOf(factors),
  };
}

/** Sums the logarithms of the numbers that are not 0. */
class Logs {
  #count = 0;
  #sum = 0;

  add(number: number): void {
    if (!(number > 0)) return;
    this.#count += 1;
    this.#sum += Math.log(number);
  }

  sum(): LogSum {
    return { count: this.#count, sum: this.#sum };
  }
}

/** The factors that are far from 1, as whole steps of their logarithm; all of another sign are one. */
function factorsOf(factors: readonly number[]): TopValues {
  const far = factors.filter(isFar);
  return topValues(far.map((each) => (each < 0 ? otherSign : Math.round(Math.log(each) / factorStep))));
}

const prime = 0x01000193;

/** A hash of a value (FNV-1a over UTF-16): values with one hash are taken for the same. It has 31 bits, as the engine counts such numbers faster. */
function hashOf(value: Value): number {
  return hashedOn(0x811c9dc5, value) >>> 1;
}

/** Adds a value to a hash; an object in parts, as its JSON takes several times as long. */
function hashedOn(before: number, value: Value): number {
  let hash = before;
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) hash = hashedOn(Math.imul(hashedOn(hash, name), prime), each);
    return Math.imul(hash, prime);
  }
  const text = typeof value === 'string' ? value : String(value);
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return hash;
}
