import type * as Zod from 'zod';
import type { Value } from './value.ts';

/** The library of schemas. Field types are given it and never import it, since an extraction thread reads values without any schema. */
export type Schemas = typeof Zod;

/**
 * One type of field. `all.ts` lists the types: the schema of definitions, their JSON Schema, the reading of values and the table of
 * types in `docs/definitions.md` are made from that list.
 */
export interface FieldType<R extends { readonly type: string }> {
  /** The schemas of the options that a definition may give the type, by name. */
  options(z: Schemas): Zod.core.$ZodLooseShape;
  /** Options for a field with a place of its own, beyond those that elements of a list have too. */
  placeOptions?(z: Schemas): Zod.core.$ZodLooseShape;
  /** Whether drafts of definitions may take a field of the type as a key: one short value, equal only to itself. Default: they do not. */
  readonly isKey?: true;
  /** Whether the type reads a number, which digits of several elements do not make together. Default: it does not. */
  readonly isNumber?: true;
  /** The part of an element that a rule takes unless the definition says otherwise. Default: `text`. */
  readonly take?: 'raw' | 'link';
  /** A phrase for what the type reads: `a whole number`. */
  expected(rule: R): string;
  /**
   * Reads a JSON value, or a text with more than white space in it; undefined if it is no value of the type. What counts from when the
   * page came is read only where `observedAt` is known.
   */
  read(value: NonNullable<Value>, rule: R, base: string, observedAt?: number): Value | Refused | Imprecise | undefined;
  /** The rows of the type in the table of `docs/definitions.md`. */
  readonly examples: readonly FieldExample[];
}

/** A text that is refused for a reason of its own. */
export class Refused {
  /** A phrase in place of the type's own. */
  readonly expected: string;

  constructor(expected: string) {
    this.expected = expected;
  }
}

/** A value of which its text says no more than a part. */
export class Imprecise {
  readonly value: Value;
  /** The smallest unit that the text says, as `month` for the first day of one. */
  readonly precision: string;

  constructor(value: Value, precision: string) {
    this.value = value;
    this.precision = precision;
  }
}

/** A row of the table of field types, in Markdown. */
export interface FieldExample {
  /** The options of a field in YAML, as `{ type: integer }`. */
  readonly field: string;
  /** Text about the options that the row shows first. */
  readonly note?: string;
  readonly text: string;
  /** The value in JSON; `lost` if the text is no value of the type. */
  readonly gives: string;
}
