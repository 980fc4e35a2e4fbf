import * as z from 'zod';
import { expected } from './expected.ts';
import type { Issue } from './reference.ts';
import { type Element, FieldKey, named, type Rule } from './rule.ts';
import { strict } from './strict.ts';
import { scalarTypes } from './value-type.ts';

const required = { required: z.boolean().default(false) };

const Nested: z.ZodType<Readonly<Record<string, Rule>>> = z.lazy(() => TypedFields);
const AnyElement: z.ZodType<Element> = z.lazy(() => TypedElement);
const object = { type: z.literal('object'), fields: Nested };
const array = { type: z.literal('array'), of: AnyElement.prefault({}) };

const TypedElement = z.preprocess(withObjectType, typesWith({}));

/** What a field is, without a place: the plug-in finds it. */
const TypedRule: z.ZodType<Rule> = z.preprocess(withObjectType, typesWith(required));

function typesWith<S extends z.core.$ZodLooseShape>(more: S) {
  return z.discriminatedUnion('type', [
    strict({ ...more, ...scalarTypes.text }),
    strict({ ...more, ...scalarTypes.integer }),
    strict({ ...more, ...scalarTypes.number }),
    strict({ ...more, ...scalarTypes.boolean }),
    strict({ ...more, ...scalarTypes.date }),
    strict({ ...more, ...scalarTypes.datetime }),
    strict({ ...more, ...scalarTypes.money }),
    strict({ ...more, ...scalarTypes.url }),
    strict({ ...more, ...scalarTypes.json }),
    strict({ ...more, ...object }),
    strict({ ...more, ...array }),
  ]);
}

const TypedFields: z.ZodType<Readonly<Record<string, Rule>>> = z
  .record(FieldKey, TypedRule)
  .transform((fields) => Object.fromEntries(Object.entries(fields).map(named)))
  .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));

/** One type of record that a plug-in finds. */
export const PluginRecord = strict({
  /** The field whose text is the record's key where the plug-in gives none. */
  key: z.string(),
  fields: TypedFields,
  nulls: z.enum(['clear', 'keep']).default('clear'),
});

/** What has fields is an object. */
function withObjectType(input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && 'fields' in input && !('type' in input);
  return isObject ? { ...input, type: 'object' } : input;
}

/** What a plug-in decides in the place of a definition. */
const decided: readonly (readonly string[])[] = [
  ['csv'],
  ['feed'],
  ['collect'],
  ['crawl'],
  ['finished'],
  ['request', 'method'],
  ['request', 'form'],
  ['request', 'json'],
];

/** What makes no sense beside a plug-in, or without one. */
export function* pluginIssues(source: unknown): Generator<Issue> {
  if (!isMapping(source)) return;
  if (!('plugin' in source)) {
    for (const name of ['options', 'secrets'])
      if (name in source) yield { path: [name], message: 'expected it with a "plugin" only' };
    if (isMapping(source['auth']) && source['auth']['type'] === 'plugin')
      yield { path: ['auth', 'type'], message: 'expected a way to log in, got "plugin" without a "plugin"' };
    return;
  }
  for (const path of decided) {
    const found = path.reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), source);
    if (found !== undefined)
      yield { path, message: 'expected nothing here, as the plug-in says how it is asked and read' };
  }
  const { provider = 'html' } = source;
  if (provider !== 'html')
    yield {
      path: ['provider'],
      message: `expected html or nothing, as the plug-in reads the pages, got "${String(provider)}"`,
    };
}

/** Whether a source that may be wrong elsewhere names a plug-in. */
export function hasPlugin(source: unknown): boolean {
  return isMapping(source) && 'plugin' in source;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
