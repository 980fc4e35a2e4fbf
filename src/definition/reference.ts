import { authOrigins } from './auth.ts';
import { documentIssues } from './document.ts';
import { undeclared } from '../schema/near-name.ts';
import { compileCondition } from '../expression/compile.ts';
import { formIssues } from './form-issues.ts';
import { renderIssues } from './render-issues.ts';
import { isZone } from '../schedule/time/zone.ts';
import { endFields } from './end-rule.ts';
import { expectationIssues } from './expectations.ts';
import { hasPlugin, hasProgram, pluginIssues } from './plugin.ts';
import { publishIssues } from './publish.ts';
import { undeclaredObjectives } from './objective-fields.ts';
import { scheduleIssues } from '../schedule/levels.ts';
import { type FieldOutline, Outline } from './outline.ts';
import { contentKey, keyFields } from './record-key.ts';
import { allFields } from './all-fields.ts';
import type { Issue } from '../schema/expected.ts';
import { withoutCredentials } from '../schema/expected.ts';
import { isMapping } from '../schema/mapping.ts';
import { placeholdersOf } from './url-pattern.ts';

/** Checks the parts of a source against each other. Finds names of records, fields and parameters that are not declared, and keys that exclude each other. */
export function referenceIssues(source: unknown): Issue[] {
  const outline = Outline.safeParse(source);
  if (!outline.success) return [];
  return [
    ...documentIssues(outline.data, source),
    ...pluginIssues(source),
    ...keyIssues(outline.data),
    ...itemFieldIssues(outline.data),
    ...finishedIssues(outline.data),
    ...expectationIssues(outline.data),
    ...feedIssues(outline.data),
    ...formIssues(outline.data),
    ...renderIssues(outline.data),
    ...pulseIssues(outline.data),
    ...shapeIssues(outline.data),
    ...collectIssues(outline.data, source),
    ...authIssues(outline.data),
    ...scheduleIssues(outline.data),
    ...objectiveIssues(outline.data),
    ...publishIssues(outline.data, isMapping(source) ? source['publish'] : undefined),
  ];
}

/** Returns the record that a source declares under a name, or yields that there is none. */
function* declaredRecord(
  { records }: Pick<Outline, 'records'>,
  name: string,
  path: Issue['path'],
): Generator<Issue, Outline['records'][string] | undefined> {
  const record = own(records, name);
  if (record === undefined) yield { path, message: undeclared('record', name, Object.keys(records)) };
  return record;
}

/** Returns the field that a record declares under a name, or yields that there is none. */
function* declaredField(
  { fields }: { readonly fields: Readonly<Record<string, FieldOutline>> },
  name: string,
  path: Issue['path'],
): Generator<Issue, FieldOutline | undefined> {
  const field = own(fields, name);
  if (field === undefined) yield { path, message: undeclared('field', name, Object.keys(fields)) };
  return field;
}

function* keyIssues({ records }: Outline): Generator<Issue> {
  for (const [name, record] of Object.entries(records)) {
    const { key } = record;
    if (key === undefined) continue;
    const path = ['records', name, 'key'];
    if (key === contentKey && own(record.fields, contentKey) !== undefined)
      yield { path, message: 'expected [content] for the field of that name, as "content" stands for all fields' };
    for (const field of keyFields(key)) {
      if (own(record.fields, field) === undefined && own(record.page?.fields ?? {}, field) !== undefined)
        yield {
          path,
          message: `expected a field of the list, as its own page does not tell which record it is of, got "${field}"`,
        };
      else {
        const declared = yield* declaredField(record, field, path);
        if (declared?.type === 'file')
          yield {
            path,
            message: `expected a field that tells records apart, got "${field}" of type file, whose address may change`,
          };
      }
    }
  }
}

/** Yields issues of fields that both the list and the page of its item are to give. */
function* itemFieldIssues({ records }: Outline): Generator<Issue> {
  for (const [name, { fields, page }] of Object.entries(records))
    for (const field of Object.keys(page?.fields ?? {}))
      if (own(fields, field) !== undefined)
        yield {
          path: ['records', name, 'page', 'fields', field],
          message: 'expected it either here or in the fields of the list, as each field is read from one page',
        };
}

function* finishedIssues(outline: Outline): Generator<Issue> {
  const { record, when, zone = 'UTC' } = outline.finished ?? {};
  if (record === undefined) return;
  const fields = endFields(outline, record);
  if (fields === undefined) yield* declaredRecord(outline, record, ['finished', 'record']);
  if (fields === undefined || when === undefined) return;
  const compiled = compileCondition(when, { fields, zone: isZone(zone) ? zone : 'UTC' });
  if (!compiled.ok) yield { path: ['finished', 'when'], message: compiled.message };
}

/** Yields issues of the addresses of a list's pages: where their number, offset or cursor stands. */
function* feedIssues({ url = '', feed }: Outline): Generator<Issue> {
  if (feed?.by === undefined) return;
  const path = ['feed', 'url'];
  const names = feed.url === undefined ? [] : placeholdersOf(feed.url);
  const known = placeholdersOf(url);
  if (feed.url === undefined && known.includes(feed.by) && feed.by !== 'link')
    yield {
      path: ['url'],
      message: `expected "{${feed.by}}" in feed.url, which is the address of the pages behind the first, and here the address of the first`,
    };
  if (feed.url === undefined) return;
  if (feed.by === 'link') yield { path, message: 'expected no address beside links, as each page names the next one' };
  else if (!names.includes(feed.by))
    yield { path, message: `expected "{${feed.by}}" in the address, got "${withoutCredentials(feed.url)}"` };
  if (feed.param !== undefined || (feed.in !== undefined && feed.in !== 'query'))
    yield { path, message: 'expected either an address with the page in it, or a parameter' };
  for (const name of names)
    if (name !== feed.by && !known.includes(name))
      yield { path, message: `expected only "{${feed.by}}" and placeholders of the source's url, got "{${name}}"` };
}

function* pulseIssues(outline: Outline): Generator<Issue> {
  const { url, pulse } = outline;
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
  const record = yield* declaredRecord(outline, pulse.record, ['pulse', 'record']);
  if (record === undefined) return;
  const { key } = record;
  if (key === contentKey)
    yield { path: ['pulse', 'record'], message: `expected a record with a key of its own, got "${pulse.record}"` };
  for (const field of key === undefined ? [] : keyFields(key)) {
    if (own(pulse.fields, field) === undefined)
      yield {
        path: ['pulse', 'fields'],
        message: `missing the field "${field}", expected the key of record "${pulse.record}" among the fields`,
      };
  }
  for (const [name, { type = 'text' }] of Object.entries(pulse.fields)) {
    const path = ['pulse', 'fields', name];
    const declared = yield* declaredField({ fields: allFields(record) }, name, path);
    const wanted = declared?.type ?? 'text';
    if (declared !== undefined && wanted !== type)
      yield { path, message: `expected the type that record "${pulse.record}" gives it, ${wanted}, got ${type}` };
  }
}

/**
 * Yields issues of a pulse that asks for many targets at once: their addresses must have one parameter, by which it
 * tells them apart.
 */
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

function* objectiveIssues({ objectives, ...source }: Outline): Generator<Issue> {
  if (objectives !== undefined) yield* undeclaredObjectives(objectives, [source]);
}

/** Yields issues of `collect`: the fields that tell how far it has come must be dates. */
function* collectIssues(outline: Outline, source: unknown): Generator<Issue> {
  if (outline.collect !== undefined && !hasPlugin(source) && !hasProgram(source)) {
    const { since, start } = outline.collect;
    if (since === undefined)
      yield {
        path: ['collect', 'since'],
        message: 'missing, expected the record and its fields that say how far it has come',
      };
    if (start === undefined) yield { path: ['collect', 'start'], message: 'missing, expected a day like "2016-03-05"' };
  }
  const { record: name, fields = [] } = outline.collect?.since ?? {};
  if (name === undefined) return;
  const record = yield* declaredRecord(outline, name, ['collect', 'since', 'record']);
  if (record === undefined) return;
  for (const [index, each] of fields.entries()) {
    const path = ['collect', 'since', 'fields', index];
    const field = yield* declaredField(record, each, path);
    const { type = 'text' } = field ?? {};
    if (field !== undefined && type !== 'date' && type !== 'datetime')
      yield { path, message: `expected a field of type date or datetime, got "${each}" of type ${type}` };
  }
}

/** Yields an issue for a log-in without origins, where the source has no address to take them from either. */
function* authIssues({ url, auth }: Outline): Generator<Issue> {
  if (auth === undefined || authOrigins(auth, url).length > 0) return;
  const message = `missing, expected the origins that the ${auth.type} credentials are for, since the source has no url`;
  yield { path: ['auth', 'origins'], message };
}

/** The value that a file declares under a name, and none that every object has, such as `toString`. */
function own<V>(declared: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(declared, name) ? declared[name] : undefined;
}
