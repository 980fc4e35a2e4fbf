import * as z from 'zod';
import { defined } from '../defined.ts';
import { checksOf, type ScalarRule, fieldTypes } from '../extract/value/all.ts';
import { type CheckKind, checkOptions, lengthOption, type LengthBounds } from '../extract/value/check.ts';
import { addIssues, type Place, placeFaults, placeShape, ShortText } from './place.ts';
import { checkGuards, guardShape, type RuleGuard } from './guard.ts';
import { faultCheck } from '../schema/checked-text.ts';
import { expected } from '../schema/expected.ts';
import { FieldName } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import type { FieldType } from '../extract/value/field-type.ts';

/** An object: the rules of its fields, each searched in the object's match alone. */
export interface ObjectOptions {
  readonly type: 'object';
  readonly fields: Readonly<Record<string, Rule>>;
  /** One field's value in place of the object, or these fields alone, with null for what is missing. */
  readonly result?: string | readonly string[];
}

/** The type of a list's elements. */
export type Element = ScalarRule | ObjectOptions | ListOptions;

/** A list: the type of its elements. */
export interface ListOptions {
  readonly type: 'array';
  readonly of: Element;
  /** How many elements it may have. */
  readonly length?: LengthBounds;
  /** Whether the list keeps only its first element. */
  readonly first?: boolean;
}

/** The type of a rule's value. */
export type Typed = (ScalarRule & { readonly whenFound?: boolean }) | ObjectOptions | ListOptions;

/** A rule: the place and the type of a value. All short forms are parsed to this form. */
export type Rule = Place & {
  /** Places in order of preference, in place of one. */
  readonly any?: readonly Place[];
  /** A record without it is none, and so is an object. */
  readonly required: boolean;
} & RuleGuard &
  Typed;

/** The name of a field; `[]` at its end makes it a list. */
export const FieldKey = z
  .string()
  .max(66)
  .superRefine(faultCheck((key) => FieldName.safeParse(bareName(key)).error?.issues[0]?.message))
  .meta({ pattern: String.raw`^[A-Za-z][A-Za-z0-9_]*(\[\])?$` });

/** A field's name without the `[]` that makes it a list. */
export function bareName(key: string): string {
  return key.endsWith('[]') ? key.slice(0, -2) : key;
}

const takesFirst = 'leave it out, as a field takes the first match, and one whose name ends in "[]" takes all';
const byFilter = 'write `filters: [{ regex: "…" }]`';

/** What rules have in place of keys that people are used to from other tools. */
const ofOtherTools = {
  re: byFilter,
  re_first: byFilter,
  regex: byFilter,
  extract: takesFirst,
  extract_first: takesFirst,
  get: takesFirst,
  getall: takesFirst,
  first: 'leave it out, as a field takes the first match',
  all: 'end the name of the field in "[]"',
  multiple: 'end the name of the field in "[]"',
  attribute: 'write `attr`',
  selector: 'write `css`',
  path: 'write `css`, `xpath` or `json`',
};

interface TypeSchemasOptions {
  /** Keys beside those of every type. */
  readonly shared?: z.core.$ZodLooseShape;
  /** Keys of an object beside its type. */
  readonly object: z.core.$ZodLooseShape;
  /** Keys of a list beside its type. */
  readonly list: z.core.$ZodLooseShape;
  /** Whether each has a place of its own. */
  readonly hasPlace?: boolean;
}

/**
 * The schema of what a value is: one form for each field type, one for an object and one for a list, told apart by `type`. Without
 * one it is text, or an object if it has `fields`.
 *
 * @typeParam T - what the schema gives; the table of types cannot tell the compiler.
 */
export function typeSchemas<T>({ shared = {}, object, list, hasPlace = false }: TypeSchemasOptions): z.ZodType<T> {
  const { text, ...others } = fieldTypes;
  const form = <S extends z.core.$ZodLooseShape>(shape: S) => strict(shape, hasPlace ? ofOtherTools : {});
  const union = z.discriminatedUnion('type', [
    form({ ...shared, type: z.literal('text').default('text'), ...optionsOf('text', text) }),
    ...Object.entries<FieldType<ScalarRule>>(others).map(([name, type]) =>
      form({ ...shared, type: z.literal(name), ...optionsOf(name, type) }),
    ),
    form({ ...shared, type: z.literal('object'), ...object }).superRefine(checkResult),
    form({ ...shared, type: z.literal('array'), ...list, length: lengthOption(z) }),
  ]);
  const schema: z.ZodType = z.preprocess(withObjectType, union);
  return schema as z.ZodType<T>;

  function optionsOf(name: string, type: FieldType<ScalarRule>): z.core.$ZodLooseShape {
    const checks: Readonly<Record<string, CheckKind>> = checksOf;
    return { ...type.options(z), ...checkOptions(z, checks[name]), ...(hasPlace && type.placeOptions?.(z)) };
  }
}

function withObjectType(input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && 'fields' in input && !('type' in input);
  return isObject ? { ...input, type: 'object' } : input;
}

/** The schema of a rule, and that of rules by the names of their fields. */
interface RuleSchemas {
  readonly Rule: z.ZodType<Rule>;
  readonly Fields: z.ZodType<Readonly<Record<string, Rule>>>;
}

/**
 * The schemas of rules; `forPlugin` lets functions stand for `take` and filters.
 *
 * @param guarded - the rules within objects, for rules of a record's fields, which may have guards. Default: rules without guards.
 */
export function ruleSchemas(forPlugin: boolean, guarded?: RuleSchemas): RuleSchemas {
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
    .superRefine(checkGuards)
    .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));
  const Nested: z.ZodType<Readonly<Record<string, Rule>>> = z.lazy(() => guarded?.Fields ?? Fields);

  const place = placeShape(forPlugin);
  const LongPlace = strict(place).superRefine((given, context) => addIssues(placeFaults(given), context));
  const AnyPlace: z.ZodType<Place> = z.union([ShortText, LongPlace]);

  const object = { fields: Nested, result: z.union([z.string(), z.array(z.string()).min(1).max(100)]).exactOptional() };
  const Element: z.ZodType<Element> = z.lazy(() => AnyElement);
  const list = { of: Element.prefault({}) };
  const AnyElement = typeSchemas<Element>({ object, list });

  const common = {
    ...place,
    any: z.array(AnyPlace).min(1).max(20).exactOptional(),
    required: z.boolean().default(false),
    ...(guarded !== undefined && guardShape),
  };
  const LongForm = typeSchemas<Rule>({
    shared: common,
    object,
    list: { ...list, first: z.boolean().exactOptional() },
    hasPlace: true,
  }).superRefine((rule, context) => addIssues(placeFaults(rule, ['any'], rule.type === 'object'), context));
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
const ofRecords = ruleSchemas(false, ofDefinitions);

/** The schema of a rule in a definition, short or long. */
export const Rule = ofDefinitions.Rule;

/** Rules by the names of their fields; at least one. */
export const Fields = ofDefinitions.Fields;

/** The schema of the rule of a record's field, which may have guards. */
export const RecordFieldRule = ofRecords.Rule;

/** The rules of a record's fields by their names, with their guards; at least one. */
export const RecordFields = ofRecords.Fields;

/** Turns the key of a field into its name, and the field into a list if the key ends in `[]`. */
export function named([key, rule]: readonly [string, Rule]): [string, Rule] {
  if (!key.endsWith('[]') || rule.type === 'array') return [bareName(key), rule];
  const { place, required, guard, typed } = partsOf(rule);
  return [bareName(key), { ...place, required, ...guard, type: 'array', of: typed }];
}

/** A rule, split. */
export interface RuleParts {
  readonly place: Place & { readonly any?: readonly Place[] };
  readonly required: boolean;
  readonly guard: RuleGuard;
  readonly typed: Typed;
}

/** Splits a rule into the keys that say where its value is, those that guard it, and those that say of what type it is. */
export function partsOf(rule: Rule): RuleParts {
  const {
    css,
    xpath,
    json,
    meta,
    const: value,
    page,
    in: where,
    from,
    attr,
    take,
    trim,
    filters,
    any,
    required,
    confirm,
    hold,
    ...typed
  } = rule;
  const all = { css, xpath, json, meta, const: value, page, in: where, from, attr, take, trim, filters, any };
  const place = Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined));
  return { place, required, guard: defined({ confirm, hold }), typed };
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
  const guard = parts.reduce<RuleGuard>((all, each) => ({ ...all, ...each.guard }), {});
  return { any, required: parts.some(({ required }) => required), ...guard, ...typed };
}

function checkResult({ fields = {}, result = [] }: Partial<ObjectOptions>, context: z.RefinementCtx): void {
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
