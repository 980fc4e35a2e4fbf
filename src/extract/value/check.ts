import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type * as Zod from 'zod';
import { checkedText } from '../../schema/checked-text.ts';
import { expected } from '../../schema/expected.ts';
import type { Schemas } from './field-type.ts';
import { plainText } from './plain-text.ts';
import { patternFault, spendSearch } from './regex.ts';
import { isList, type Value } from './value.ts';

/** What a value must be besides of its type. */
export interface CheckOptions {
  /** The least number or amount, or the first day. */
  readonly min?: number | string;
  /** The greatest number or amount, or the last day. */
  readonly max?: number | string;
  readonly enum?: readonly (number | string)[];
  /** A regular expression of RE2 that is found in the text. */
  readonly pattern?: string;
  readonly length?: LengthBounds;
}

/** How many characters a text may have, or elements a list. */
export interface LengthBounds {
  readonly min?: number;
  readonly max?: number;
}

/** What a type's values can be held against. */
export type CheckKind = 'number' | 'amount' | 'text' | 'day';

/** The schemas of the checks of a kind, by name. */
export function checkOptions(z: Schemas, kind: CheckKind | undefined): Zod.core.$ZodLooseShape {
  switch (kind) {
    case 'number':
      return { ...bounds(z.number()), enum: z.array(z.number()).min(1).max(1_000).exactOptional() };
    case 'amount':
      return bounds(z.number());
    case 'day':
      return bounds(z.string().regex(/^\d{4}-\d\d-\d\d$/, expected('a day like "2026-03-14"')));
    case 'text':
      return {
        enum: z.array(z.string()).min(1).max(1_000).exactOptional(),
        pattern: checkedText(z, 'a regular expression of RE2', patternFault).exactOptional(),
        length: lengthOption(z),
      };
    case undefined:
      return {};
    default:
      return kind satisfies never;
  }

  function bounds(bound: Zod.ZodType): Zod.core.$ZodLooseShape {
    return { min: bound.exactOptional(), max: bound.exactOptional() };
  }
}

/** The schema of a length: a number, or the least and the greatest. */
export function lengthOption(z: Schemas) {
  const size = z.number().int().min(0);
  const both = z.strictObject({ min: size.exactOptional(), max: size.exactOptional() });
  return z.union([size.transform((length): LengthBounds => ({ min: length, max: length })), both]).exactOptional();
}

/** A phrase for what a value was expected to be; undefined if it is that. */
export function checkFault(value: NonNullable<Value>, rule: CheckOptions): string | undefined {
  const { min, max, enum: among, pattern, length } = rule;
  if (min !== undefined && !isOrdered(min, value)) return `at least ${min}`;
  if (max !== undefined && !isOrdered(value, max)) return `at most ${max}`;
  if (among?.every((each) => each !== value)) return `one of ${among.slice(0, 20).join(', ')}`;
  if (pattern !== undefined && !isFound(pattern, plainText(value) ?? '')) return `a text that matches "${pattern}"`;
  return length === undefined || typeof value !== 'string' ? undefined : lengthFault(Array.from(value).length, length);
}

/** A phrase for how long something was expected to be; undefined if it is so long. */
export function lengthFault(length: number, { min = 0, max = Infinity }: LengthBounds): string | undefined {
  if (length >= min && length <= max) return undefined;
  if (min === max) return `a length of ${min}`;
  return max === Infinity ? `a length of at least ${min}` : `a length of ${min} to ${max}`;
}

/** Whether one value is not greater than another. Of an instant and a day, the day of the instant counts. */
function isOrdered(less: NonNullable<Value>, more: NonNullable<Value>): boolean {
  if (typeof less === 'string' && typeof more === 'string') {
    const places = Math.min(less.length, more.length);
    return less.slice(0, places) <= more.slice(0, places);
  }
  return sizeOf(less) <= sizeOf(more);
}

function sizeOf(value: NonNullable<Value>): number {
  return Number(typeof value === 'object' && !isList(value) ? value['amount'] : value);
}

/** The patterns last used on this thread. */
const compiled = new LRUCache<string, RE2JS>({ max: 1_000, memoMethod: (pattern) => RE2JS.compile(pattern) });

function isFound(pattern: string, text: string): boolean {
  const regex = compiled.memo(pattern);
  spendSearch(regex, text.length);
  return regex.matcher(text).find();
}
