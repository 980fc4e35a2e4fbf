import * as z from 'zod';
import { expected, type Issue } from '../schema/expected.ts';
import { type Element, FieldKey, named, type Rule, typeSchemas } from './rule.ts';
import { Expect } from './expect.ts';
import { checkGuards, guardShape } from './guard.ts';
import { RecordKey } from './record-key.ts';
import { SecretName } from '../schema/secret-name.ts';
import { SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { isMapping } from '../schema/mapping.ts';

/** The name of a plug-in's file: one in the operator's folder itself, never elsewhere. */
export const PluginName = z
  .string()
  .max(128)
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.m?[jt]s$/,
    expected('the name of a file in the folder of plug-ins that ends in .ts, .mts, .js or .mjs'),
  );

/** Options of a plug-in, which its own schema checks. */
export const PluginOptions = z.json();

/** The secrets that a plug-in may ask for, by name. */
export const PluginSecrets = z.array(SecretName).max(32);

type TypedFields = z.ZodType<Readonly<Record<string, Rule>>>;

const Nested: TypedFields = z.lazy(() => fieldsOf(TypedRule));
const object = { fields: Nested };
const AnyElement: z.ZodType<Element> = z.lazy(() => TypedElement);
const list = { of: AnyElement.prefault({}) };
const TypedElement = typeSchemas<Element>({ object, list });

const required = z.boolean().default(false);

/** The type of a field without its place, since the plug-in finds it. */
const TypedRule = typeSchemas<Rule>({ shared: { required }, object, list });

/** The type of a record's field, which may have guards. */
const GuardedRule = typeSchemas<Rule>({ shared: { required, ...guardShape }, object, list });

function fieldsOf(rule: z.ZodType<Rule>): TypedFields {
  return z
    .record(FieldKey, rule)
    .transform((fields) => Object.fromEntries(Object.entries(fields).map(named)))
    .superRefine(checkGuards)
    .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));
}

/** One type of record that a plug-in finds. */
export const PluginRecord = strict({
  /** What tells one record from another where the plug-in gives no key. */
  key: RecordKey,
  /** The shared type that such records are. */
  is: SourceId.exactOptional(),
  fields: fieldsOf(GuardedRule),
  nulls: z.enum(['clear', 'keep']).default('clear'),
  /** What each run must meet. */
  expect: Expect.exactOptional(),
});

/** Keys of a definition that a plug-in stands for. */
const decided: readonly (readonly string[])[] = [
  ['csv'],
  ['ignore'],
  ['feed'],
  ['collect', 'command'],
  ['collect', 'start'],
  ['collect', 'window'],
  ['collect', 'overlap'],
  ['collect', 'pause'],
  ['collect', 'query'],
  ['collect', 'format'],
  ['crawl'],
  ['request', 'method'],
  ['request', 'fields'],
  ['request', 'form'],
  ['request', 'json'],
];

/** Yields issues for keys that a source with a plug-in cannot have, and for keys that need one. */
export function* pluginIssues(source: unknown): Generator<Issue> {
  if (!isMapping(source)) return;
  if (!('plugin' in source)) {
    yield* programIssues(source);
    for (const name of hasProgram(source) ? ['options'] : ['options', 'secrets'])
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

/** Yields issues for keys that a source cannot have whose records a program finds. */
function* programIssues(source: Readonly<Record<string, unknown>>): Generator<Issue> {
  if (!hasProgram(source)) return;
  const message = 'expected nothing here, as a program finds the records of the source';
  const collect = decided.filter(([first, second]) => first === 'collect' && second !== 'command');
  for (const path of [
    ['provider'],
    ['tree'],
    ['encoding'],
    ['csv'],
    ['ignore'],
    ['feed'],
    ['crawl'],
    ['request'],
    ['auth'],
    ['pulse'],
    ['render'],
    ['proxy'],
    ...collect,
  ]) {
    const found = path.reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), source);
    if (found !== undefined) yield { path, message };
  }
}

/** Whether a source that may be wrong elsewhere names a program that collects it. */
export function hasProgram(source: unknown): boolean {
  return isMapping(source) && isMapping(source['collect']) && source['collect']['command'] !== undefined;
}

/** Whether a source that may be wrong elsewhere names a plug-in. */
export function hasPlugin(source: unknown): boolean {
  return isMapping(source) && 'plugin' in source;
}
