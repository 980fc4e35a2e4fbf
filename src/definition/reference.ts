import * as z from 'zod';
import { Auth, authOrigins } from './auth.ts';
import { documentIssues } from './document.ts';
import { undeclared } from './near-name.ts';
import { pluginIssues } from './plugin-record.ts';
import { undeclaredPromises } from './promise.ts';
import { paceKeys, scheduleIssues } from './schedule.ts';
import { bareName, keyTypes } from './rule.ts';
import { placeholdersOf } from './url-pattern.ts';

/** What is wrong at one place of a file: the shape that a schema's issues have too. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const text = z.string().optional().catch(undefined);
const FieldsOutline = z
  .record(
    z.string(),
    z.object({ type: text, fields: z.unknown().optional() }).transform(outlineOfField).catch({ type: undefined }),
  )
  .transform((fields) => Object.fromEntries(Object.entries(fields).map(outlineOfName)))
  .catch({});

interface FieldOutline {
  readonly type: string | undefined;
}

function outlineOfField({
  type,
  fields,
}: {
  readonly type?: string | undefined;
  readonly fields?: unknown;
}): FieldOutline {
  return { type: type ?? (fields === undefined ? undefined : 'object') };
}

/** A name that ends in `[]` is of a list, whatever its rule says. */
function outlineOfName([key, field]: [string, FieldOutline]): [string, FieldOutline] {
  return [bareName(key), key.endsWith('[]') ? { type: 'array' } : field];
}

/** What can be made out of a source that may be wrong elsewhere, so that one mistake does not hide another. */
const Outline = z.object({
  url: text,
  records: z
    .record(z.string(), z.object({ key: text, fields: FieldsOutline }).catch({ key: undefined, fields: {} }))
    .catch({}),
  finished: z.object({ record: text, field: text }).optional().catch(undefined),
  pulse: z
    .object({
      url: text,
      record: text,
      fields: FieldsOutline,
      each: z.unknown().optional(),
      batch: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
  collect: z
    .object({ since: z.object({ record: text, fields: z.array(z.string()).catch([]) }) })
    .optional()
    .catch(undefined),
  provider: text,
  objectives: z
    .object({ fields: z.record(z.string(), z.unknown()).catch({}) })
    .optional()
    .catch(undefined),
  feed: z.unknown().optional(),
  crawl: z.unknown().optional(),
  auth: Auth.optional().catch(undefined),
  ...Object.fromEntries([...paceKeys, 'zone'].map((key) => [key, z.unknown().optional()])),
});
type Outline = z.infer<typeof Outline>;

/** What the parts of a source get wrong of each other: names of records, fields and parameters that are declared nowhere. */
export function referenceIssues(source: unknown): Issue[] {
  const outline = Outline.safeParse(source);
  return outline.success
    ? [
        ...documentIssues(source),
        ...pluginIssues(source),
        ...keyIssues(outline.data),
        ...finishedIssues(outline.data),
        ...pulseIssues(outline.data),
        ...shapeIssues(outline.data),
        ...collectIssues(outline.data),
        ...authIssues(outline.data),
        ...scheduleIssues(outline.data),
        ...promiseIssues(outline.data),
      ]
    : [];
}

function* keyIssues({ records }: Outline): Generator<Issue> {
  for (const [name, { key, fields }] of Object.entries(records)) {
    if (key === undefined) continue;
    const path = ['records', name, 'key'];
    const field = own(fields, key);
    if (field === undefined) yield { path, message: undeclared('field', key, Object.keys(fields)) };
    else if (field.type !== undefined && !keyTypes.some((type) => type === field.type)) {
      yield { path, message: `expected a field of type ${keyTypes.join(', ')}, got "${key}" of type ${field.type}` };
    }
  }
}

function* finishedIssues({ records, finished }: Outline): Generator<Issue> {
  if (finished?.record === undefined) return;
  const record = own(records, finished.record);
  if (record === undefined)
    yield { path: ['finished', 'record'], message: undeclared('record', finished.record, Object.keys(records)) };
  else if (finished.field !== undefined && own(record.fields, finished.field) === undefined) {
    yield { path: ['finished', 'field'], message: undeclared('field', finished.field, Object.keys(record.fields)) };
  }
}

function* pulseIssues({ url, records, pulse }: Outline): Generator<Issue> {
  if (pulse === undefined) return;
  yield* batchIssues(pulse, url);
  if (pulse.url !== undefined) {
    const known = [...placeholdersOf(url ?? ''), ...(pulse.each === undefined ? [] : ['ids'])];
    for (const name of placeholdersOf(pulse.url)) {
      if (!known.includes(name))
        yield { path: ['pulse', 'url'], message: `expected only placeholders of the source's url, got "{${name}}"` };
    }
  }
  if (pulse.record === undefined) return;
  const record = own(records, pulse.record);
  if (record === undefined) {
    yield { path: ['pulse', 'record'], message: undeclared('record', pulse.record, Object.keys(records)) };
    return;
  }
  if (record.key !== undefined && own(pulse.fields, record.key) === undefined) {
    yield {
      path: ['pulse', 'fields'],
      message: `missing the field "${record.key}", expected the key of record "${pulse.record}" among the fields`,
    };
  }
  for (const [name, field] of Object.entries(pulse.fields)) {
    const declared = own(record.fields, name);
    if (declared === undefined)
      yield { path: ['pulse', 'fields', name], message: undeclared('field', name, Object.keys(record.fields)) };
    else if ((declared.type ?? 'text') !== (field.type ?? 'text')) {
      yield {
        path: ['pulse', 'fields', name],
        message: `expected the type that record "${pulse.record}" gives it, ${declared.type ?? 'text'}, got ${field.type ?? 'text'}`,
      };
    }
  }
}

/** A pulse for many targets at once tells them apart by the one parameter of their addresses. */
function* batchIssues(
  { url: own = '', each, batch }: NonNullable<Outline['pulse']>,
  url: string | undefined,
): Generator<Issue> {
  const names = placeholdersOf(own);
  if (each === undefined) {
    if (batch !== undefined) yield { path: ['pulse', 'batch'], message: 'expected "each" beside it' };
    return;
  }
  if (names.length === 0) {
    if (batch !== undefined) yield { path: ['pulse', 'batch'], message: 'expected "{ids}" in the url of the pulse' };
    return;
  }
  if (names.some((name) => name !== 'ids'))
    yield { path: ['pulse', 'url'], message: 'expected no placeholder but "{ids}" beside "each"' };
  if (placeholdersOf(url ?? '').length !== 1)
    yield {
      path: ['pulse', 'url'],
      message: 'expected a url of the source with one parameter, which "{ids}" stands for',
    };
}

function* shapeIssues({ crawl, feed, collect }: Outline): Generator<Issue> {
  if (crawl === undefined) return;
  for (const [name, other] of Object.entries({ feed, collect }))
    if (other !== undefined)
      yield { path: [name], message: 'expected none beside "crawl", which finds its pages itself' };
}

function* promiseIssues({ objectives, ...source }: Outline): Generator<Issue> {
  for (const { field, message } of undeclaredPromises(objectives?.fields ?? {}, [source]))
    yield { path: ['objectives', 'fields', field], message };
}

/** How far a collector has come is told by days. */
function* collectIssues({ records, collect }: Outline): Generator<Issue> {
  if (collect?.since.record === undefined) return;
  const { record: name, fields } = collect.since;
  const record = own(records, name);
  if (record === undefined) {
    yield { path: ['collect', 'since', 'record'], message: undeclared('record', name, Object.keys(records)) };
    return;
  }
  for (const [index, each] of fields.entries()) {
    const path = ['collect', 'since', 'fields', index];
    const field = own(record.fields, each);
    if (field === undefined) yield { path, message: undeclared('field', each, Object.keys(record.fields)) };
    else if (field.type !== 'date' && field.type !== 'datetime') {
      yield {
        path,
        message: `expected a field of type date or datetime, got "${each}" of type ${field.type ?? 'text'}`,
      };
    }
  }
}

/** Credentials that are for no address in particular need to be told where they go. */
function* authIssues({ url, auth }: Outline): Generator<Issue> {
  if (auth === undefined || authOrigins(auth, url).length > 0) return;
  const message = `missing, expected the origins that the ${auth.type} credentials are for, since the source has no url`;
  yield { path: ['auth', 'origins'], message };
}

/** What a file declares under a name; `toString` and the like are not declared by anyone. */
function own<V>(declared: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(declared, name) ? declared[name] : undefined;
}
