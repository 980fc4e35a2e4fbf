import * as z from 'zod';
import type { ScalarRule } from '../extract/value/rule.ts';
import { type Place, placeFaults, placeShape, ShortText } from './place.ts';
import type { Issue } from './reference.ts';
import { FieldName } from './slug.ts';
import { strict } from './strict.ts';
import { expected } from './expected.ts';
import { scalarTypes } from './value-type.ts';

/** What an object holds: the rules of its fields, each searched in its match alone. */
export interface ObjectOptions {
  readonly type: 'object';
  readonly fields: Readonly<Record<string, Rule>>;
  /** One field's value in place of the object, or these fields alone, with null for what is missing. */
  readonly result?: string | readonly string[];
}

/** What a list's elements are. */
export type Element = ScalarRule | ObjectOptions | ListOptions;

export interface ListOptions {
  readonly type: 'array';
  readonly of: Element;
  /** One element at most. */
  readonly first?: boolean;
}

/** What a rule's value is. */
export type Typed = (ScalarRule & { readonly whenFound?: boolean }) | ObjectOptions | ListOptions;

/** Where a value is and what it is, in the form that all short forms come to. */
export type Rule = Place & {
  /** Places in order of preference, in place of one. */
  readonly any?: readonly Place[];
  /** A record without it is none, and so is an object. */
  readonly required: boolean;
} & Typed;

/** The name of a field; `[]` at its end makes it a list. */
export const FieldKey = z
  .string()
  .max(66)
  .superRefine((key, context) => {
    const fault = FieldName.safeParse(bareName(key)).error?.issues[0];
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault.message, input: key });
  })
  .meta({ pattern: String.raw`^[A-Za-z][A-Za-z0-9_]*(\[\])?$` });

/** A field's name without the `[]` that makes it a list. */
export function bareName(key: string): string {
  return key.endsWith('[]') ? key.slice(0, -2) : key;
}

/** The schemas of rules; `forPlugin` lets functions stand for `take` and filters. */
export function ruleSchemas(forPlugin: boolean): {
  readonly Rule: z.ZodType<Rule>;
  readonly Fields: z.ZodType<Readonly<Record<string, Rule>>>;
} {
  const Rule: z.ZodType<Rule> = z.lazy(() => AnyForm);
  const Fields: z.ZodType<Readonly<Record<string, Rule>>> = z
    .record(FieldKey, Rule)
    .superRefine((fields, context) => {
      const names = Object.keys(fields).map(bareName);
      for (const key of Object.keys(fields)) {
        if (key.endsWith('[]') && names.indexOf(bareName(key)) !== names.lastIndexOf(bareName(key)))
          context.addIssue({
            code: 'custom',
            path: [key],
            message: `expected each field once, got "${bareName(key)}" as well`,
          });
      }
    })
    .transform((fields) => Object.fromEntries(Object.entries(fields).map(named)))
    .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));
  const Nested: z.ZodType<Readonly<Record<string, Rule>>> = z.lazy(() => Fields);

  const place = placeShape(forPlugin);
  const LongPlace = strict(place).superRefine((given, context) => addFaults(placeFaults(given), context));
  const AnyPlace: z.ZodType<Place> = z.union([ShortText, LongPlace]);

  const object = {
    type: z.literal('object'),
    fields: Nested,
    result: z.union([z.string(), z.array(z.string()).min(1).max(100)]).exactOptional(),
  };
  const Element: z.ZodType<Element> = z.lazy(() => AnyElement);
  const array = { type: z.literal('array'), of: Element.prefault({}) };
  const AnyElement = z.preprocess(
    withObjectType,
    z.discriminatedUnion('type', [
      strict(scalarTypes.text),
      strict(scalarTypes.integer),
      strict(scalarTypes.number),
      strict(scalarTypes.boolean),
      strict(scalarTypes.date),
      strict(scalarTypes.datetime),
      strict(scalarTypes.money),
      strict(scalarTypes.url),
      strict(scalarTypes.json),
      strict(object).superRefine(checkResult),
      strict(array),
    ]),
  );

  const common = {
    ...place,
    any: z.array(AnyPlace).min(1).max(20).exactOptional(),
    required: z.boolean().default(false),
  };
  const LongForm = z
    .preprocess(
      withObjectType,
      z.discriminatedUnion('type', [
        strict({ ...common, ...scalarTypes.text }),
        strict({ ...common, ...scalarTypes.integer }),
        strict({ ...common, ...scalarTypes.number }),
        /** `whenFound`: the value is whether the place is there, this where it is and the opposite where not. */
        strict({ ...common, ...scalarTypes.boolean, whenFound: z.boolean().exactOptional() }),
        strict({ ...common, ...scalarTypes.date }),
        strict({ ...common, ...scalarTypes.datetime }),
        strict({ ...common, ...scalarTypes.money }),
        strict({ ...common, ...scalarTypes.url }),
        strict({ ...common, ...scalarTypes.json }),
        strict({ ...common, ...object }).superRefine(checkResult),
        strict({ ...common, ...array, first: z.boolean().exactOptional() }),
      ]),
    )
    .superRefine((rule, context) => addFaults(placeFaults(rule, ['any'], rule.type === 'object'), context));
  const ShortForm = ShortText.transform((given): Rule => ({ ...given, required: false, type: 'text' }));
  const AnyForm = z.union([
    ShortForm,
    z
      .array(z.union([ShortForm, LongForm]))
      .min(1)
      .max(20)
      .transform(lastFirst),
    LongForm,
  ]);
  return { Rule, Fields };
}

const ofDefinitions = ruleSchemas(false);

/** Where one value is and what it is. */
export const Rule = ofDefinitions.Rule;

/** Rules by the names of their fields; at least one. */
export const Fields = ofDefinitions.Fields;

/** Types whose value can be a record's key: what is read as one short text and is equal only to itself. */
export const keyTypes: readonly Rule['type'][] = ['text', 'integer', 'url', 'date'];

/** A field under its name alone; what its key makes a list is one. */
export function named([key, rule]: readonly [string, Rule]): [string, Rule] {
  if (!key.endsWith('[]') || rule.type === 'array') return [bareName(key), rule];
  const { place, required, typed } = partsOf(rule);
  return [bareName(key), { ...place, required, type: 'array', of: typed }];
}

/** A rule taken apart. */
export interface RuleParts {
  readonly place: Place & { readonly any?: readonly Place[] };
  readonly required: boolean;
  readonly typed: Typed;
}

/** Takes where a value is apart from what it is. */
export function partsOf(rule: Rule): RuleParts {
  const { css, xpath, json, meta, const: value, in: where, attr, take, trim, filters, any, required, ...typed } = rule;
  const all = { css, xpath, json, meta, const: value, in: where, attr, take, trim, filters, any };
  const place = Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined));
  return { place, required, typed };
}

/** A list of rules in place of one: a later one that matches replaces what an earlier one gave. */
function lastFirst(rules: readonly Rule[], context: z.RefinementCtx): Rule {
  const parts = rules.map(partsOf);
  const typed = parts.at(-1)?.typed ?? { type: 'text' };
  const other = parts.findIndex((each) => JSON.stringify(each.typed) !== JSON.stringify(typed));
  if (other >= 0)
    context.addIssue({
      code: 'custom',
      path: [other],
      message: `expected rules of one type in a list, got ${parts[other]?.typed.type ?? ''} and ${typed.type}`,
    });
  const any = parts.toReversed().flatMap(({ place: { any: several, ...one } }) => several ?? [one]);
  return { any, required: parts.some(({ required }) => required), ...typed };
}

/** What has fields is an object. */
function withObjectType(input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && 'fields' in input && !('type' in input);
  return isObject ? { ...input, type: 'object' } : input;
}

function checkResult({ fields, result = [] }: Omit<ObjectOptions, 'type'>, context: z.RefinementCtx): void {
  for (const name of [result].flat()) {
    if (!Object.hasOwn(fields, name))
      context.addIssue({
        code: 'custom',
        path: ['result'],
        message: `expected fields of the object (${Object.keys(fields).join(', ')}), got "${name}"`,
        input: result,
      });
  }
}

function addFaults(faults: readonly Issue[], context: z.RefinementCtx): void {
  for (const { path, message } of faults) context.addIssue({ code: 'custom', path: [...path], message });
}
