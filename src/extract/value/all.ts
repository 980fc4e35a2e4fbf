import type { Value } from './value.ts';
import { boolean } from './boolean.ts';
import { date } from './date.ts';
import { checkFault, type CheckKind, type CheckOptions } from './check.ts';
import { datetime } from './datetime.ts';
import { duration } from './duration.ts';
import { type FieldType, Imprecise, Refused } from './field-type.ts';
import { file } from './file.ts';
import { integer } from './integer.ts';
import { json } from './json.ts';
import { money } from './money.ts';
import { number } from './number.ts';
import { quoted, shortLength } from './plain-text.ts';
import { quantity } from './quantity.ts';
import { text } from './text.ts';
import { url } from './url.ts';
import { spend } from '../../work-budget.ts';

/** The types that one text or JSON value of a document may have, in the order in which they are listed for people. */
export const fieldTypes = {
  text,
  integer,
  number,
  boolean,
  date,
  datetime,
  money,
  quantity,
  duration,
  url,
  file,
  json,
} as const;

/** The names of the types whose values drafts of definitions take as keys. */
export const keyTypes: readonly string[] = Object.entries<FieldType<ScalarRule>>(fieldTypes).flatMap(
  ([name, { isKey }]) => (isKey === true ? [name] : []),
);

/** What the values of a type can be checked for besides; of no other type. */
export const checksOf: Partial<Record<keyof typeof fieldTypes, CheckKind>> = {
  text: 'text',
  url: 'text',
  integer: 'number',
  number: 'number',
  money: 'amount',
  date: 'day',
  datetime: 'day',
};

/** A type with its options, for one value. */
export type ScalarRule = Parameters<(typeof fieldTypes)[keyof typeof fieldTypes]['read']>[1] & CheckOptions;

/** A value as read, or the text that could not be read and what was expected instead. */
export type ReadValue =
  /** `precision` is set where the text says less than a value of the type does. */
  | { readonly ok: true; readonly value: Value; readonly precision?: string }
  | { readonly ok: false; readonly text: string; readonly expected: string };

/** Whether a rule is of a type that reads numbers. */
export function isOfNumbers({ type }: ScalarRule): boolean {
  const { isNumber }: FieldType<ScalarRule> = fieldTypes[type];
  return isNumber === true;
}

/** Whether a value is a text of white space alone. */
export function isBlank(value: Value): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/**
 * Reads a text or a JSON value as the type of a rule; relative addresses are resolved against `base`, dates that count from
 * when the page came against `observedAt`. A text of white space alone is `null`. Throws a `RangeError` for a date format that is not valid.
 */
export function readValue(raw: Value, rule: ScalarRule, base: string, observedAt?: number): ReadValue {
  if (raw === null || isBlank(raw)) return { ok: true, value: null };
  spend(stepsOf(raw, rule));
  const type: FieldType<ScalarRule> = fieldTypes[rule.type];
  const read = type.read(raw, rule, base, observedAt);
  if (read === undefined) return { ok: false, text: quoted(raw), expected: type.expected(rule) };
  if (read instanceof Refused) return { ok: false, text: quoted(raw), expected: read.expected };
  const { value, precision } = read instanceof Imprecise ? read : { value: read, precision: undefined };
  const fault = value === null ? undefined : checkFault(value, rule);
  if (fault !== undefined) return { ok: false, text: quoted(raw), expected: fault };
  return precision === undefined ? { ok: true, value } : { ok: true, value, precision };
}

/** The work of a value that is no text, without that of the formats of dates. */
const valueSteps = 300;

/** The work of reading a value. That of the patterns of numbers and amounts may grow with the square of their text. */
function stepsOf(raw: Value, rule: ScalarRule): number {
  const length = typeof raw === 'string' ? raw.length : 0;
  if (rule.type === 'text') return length;
  return valueSteps + length * 2 + Math.min(length, shortLength) ** 2 / 4;
}
