import * as z from 'zod';
import { allFields } from './all-fields.ts';
import { fieldTypes } from '../extract/value/all.ts';
import { expected, type Issue } from '../schema/expected.ts';
import { didYouMean, undeclared } from '../schema/near-name.ts';
import { SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { bareName, FieldKey, type Typed } from './rule.ts';
import type { Source } from './source.ts';

/** What the values of a field are: the name of a type such as `money`; of a list also `array of money`. */
export interface SharedField {
  readonly type: string;
  /** Whether each record that is of the type has the field. */
  readonly required: boolean;
}

const Field = strict({
  type: z.enum([...Object.keys(fieldTypes), 'object', 'array']).default('text'),
  required: z.boolean().default(false),
});

const Fields = z
  .record(FieldKey, Field)
  .superRefine((fields, context) => {
    for (const key of Object.keys(fields))
      if (key.endsWith('[]') && Object.hasOwn(fields, bareName(key)))
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `expected each field once, got "${bareName(key)}" as well`,
        });
  })
  .transform((fields): Readonly<Record<string, SharedField>> =>
    Object.fromEntries(
      Object.entries(fields).map(([key, field]) => [
        bareName(key),
        key.endsWith('[]') ? { ...field, type: `array of ${field.type}` } : field,
      ]),
    ),
  )
  .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));

/** The types of fields whose values can be compared to link records. */
const linkable: readonly string[] = ['text', 'url', 'integer', 'number', 'boolean', 'date', 'datetime', 'duration'];

/** How values can be compared. */
export const linkWays = ['exact', 'words', 'digits'] as const;

const LinkField = z
  .union([
    z.string().transform((field) => ({ field })),
    strict({
      field: z.string(),
      /** How its texts are compared: as they are, by their words alone, or by their digits alone. */
      as: z.enum(linkWays).default('exact'),
    }),
  ])
  .transform((given) => ({ as: 'exact' as const, ...given }));
export type LinkField = z.infer<typeof LinkField>;

/** The ways by which records are one thing, each by fields that are all the same. */
const Link = z
  .array(z.union([LinkField.transform((field) => [field]), z.array(LinkField).min(1).max(5)]))
  .max(5)
  .default([]);
export type Link = readonly (readonly LinkField[])[];

/** A type that records of several sources say they are, as its file in the folder `types` describes it. */
export const SharedType = strict({
  /** The name of its file as well. */
  id: SourceId,
  /** By name. A record that is of the type may have others besides. */
  fields: Fields,
  link: Link,
}).superRefine(({ fields, link }, context) => {
  for (const [at, way] of link.entries())
    for (const message of wayFaults(way, fields)) context.addIssue({ code: 'custom', path: ['link', at], message });
});
export type SharedType = z.infer<typeof SharedType>;

function* wayFaults(way: Link[number], fields: SharedType['fields']): Generator<string> {
  for (const { field, as } of way) {
    const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined;
    const isText = type === 'text' || type === 'url';
    if (type === undefined) yield undeclared('field', field, Object.keys(fields));
    else if (!linkable.includes(type))
      yield `expected a field of type ${linkable.join(', ')}, got "${field}" of type ${type}`;
    else if (as !== 'exact' && !isText)
      yield `expected a field of type text or url for "${as}", got "${field}" of type ${type}`;
  }
}

/** The types that were loaded, and the ids of those whose files have problems. */
export interface KnownTypes {
  readonly types: ReadonlyMap<string, SharedType>;
  readonly broken: ReadonlySet<string>;
}

/** Finds what keeps records of a source from being of the types that they say they are. */
export function* typeIssues({ records }: Pick<Source, 'records'>, { types, broken }: KnownTypes): Generator<Issue> {
  for (const [name, record] of Object.entries(records)) {
    const { is } = record;
    if (is === undefined) continue;
    const fields = allFields(record);
    const path = ['records', name, 'is'];
    const type = types.get(is);
    if (type === undefined) {
      const known = [...types.keys()];
      const message = broken.has(is)
        ? `the type "${is}" has problems of its own`
        : `expected a type with a file in the folder "types" (${known.join(', ') || 'there is none'}), got "${is}"${didYouMean(is, known)}`;
      yield { path, message };
      continue;
    }
    for (const [field, { type: wanted, required }] of Object.entries(type.fields)) {
      const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
      const found = rule && typeText(rule);
      if (found === undefined && required)
        yield { path, message: `missing the field "${field}" of type ${wanted}, which the type "${is}" requires` };
      if (found !== undefined && found !== wanted && !(wanted === 'array' && found.startsWith('array of ')))
        yield {
          path: ['records', name, ...(Object.hasOwn(record.fields, field) ? [] : ['page']), 'fields', field],
          message: `expected ${wanted}, as the type "${is}" has it, got ${found}`,
        };
    }
  }
}

/** Writes what the values of a rule are, as `SharedField` does. */
export function typeText(rule: Typed): string {
  if (rule.type === 'array') return `array of ${typeText(rule.of)}`;
  const only = rule.type === 'object' && typeof rule.result === 'string' ? rule.fields[rule.result] : undefined;
  return only === undefined ? rule.type : typeText(only);
}
