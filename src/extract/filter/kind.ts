import type { ZodType } from 'zod';
import type { Schemas } from '../value/field-type.ts';
import { plainText, quoted } from '../value/plain-text.ts';
import { isList, type Value } from '../value/value.ts';

/**
 * A compiled filter; relative addresses are resolved against `base`, and dates count from `observedAt`, if that is known.
 * Throws a `FilterError` for a value that it cannot work on.
 */
export type CompiledFilter = (value: Value, base: string, observedAt?: number) => Value;

/**
 * One kind of filter. `all.ts` lists the kinds: what definitions may name under `filters`, the JSON Schema of that and what
 * extraction runs are made from the list.
 */
export interface FilterKind<S extends { readonly type: string }> {
  /** The schemas of the options that a definition may give the filter, by name. Default: none. */
  options?(z: Schemas): Readonly<Record<string, ZodType>>;
  /** The option that stands after the filter's name by itself, as `by` does in `{ split: "," }`. Default: the options are a mapping. */
  readonly only?: string;
  /** Whether the name alone is enough, as no option is needed. */
  readonly isPlain?: true;
  /** Whether it may take more time than the text is long, times a small constant. */
  readonly isSlow?: true;
  /** The filter with its options in YAML; shown where they are missing. */
  readonly example?: string;
  /** Compiles the filter. Throws if a pattern or a path of it is not valid. */
  compile(step: S): CompiledFilter;
}

/** Thrown by a filter for a value that it cannot work on; `text` is the value, shortened. The value is lost, as one of the wrong type is. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  readonly text: string;
  readonly expected: string;

  constructor(text: string, expected: string) {
    super(`expected ${expected}, got "${text}"`);
    this.text = text;
    this.expected = expected;
  }
}

/** Throws a `FilterError` for a value. */
export function refuse(value: Value, expected: string): never {
  throw new FilterError(quoted(value), expected);
}

/** Changes a value, or each element of a list; null stays. Throws what `change` throws. */
export function eachOf(value: Value, change: (value: Value) => Value): Value {
  if (isList(value)) return value.map((each) => (each === null ? null : change(each)));
  return value === null ? null : change(value);
}

/** Makes a filter that changes a text, or each text of a list. The filter throws a `FilterError` for an object. */
export function onTexts(change: (text: string) => Value): CompiledFilter {
  return (value) => eachOf(value, (each) => change(textFor(each)));
}

/** Returns the text of a value. Throws a `FilterError` for a list or an object. */
export function textFor(value: Value): string {
  return plainText(value) ?? refuse(value, 'text');
}

/** Longest text that a filter makes, in characters: more than a value may have in the end, since a later filter may cut it. */
export const maxText = 1_000_000;

/** Returns `text`. Throws a `FilterError` if it is longer than `maxText`. */
export function bounded(text: string): string {
  return text.length > maxText ? refuse(text, `at most ${maxText} characters after a filter`) : text;
}
