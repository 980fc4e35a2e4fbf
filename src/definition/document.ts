import * as z from 'zod';
import { type EachPlace, EachPlace as EachSchema, type Place } from './place.ts';
import { hasPlugin } from './plugin-record.ts';
import type { Issue } from './reference.ts';
import { partsOf, Rule } from './rule.ts';

/** What a place is seen from: a tree of elements, a JSON value, or either, where alternatives lead to both. */
type View = 'tree' | 'json' | 'either';

/** Checked rule by rule, so that one mistake does not hide another. */
const Outline = z.object({
  provider: z.string().catch('html').default('html'),
  csv: z.unknown().optional(),
  records: z
    .record(
      z.string(),
      z
        .object({ each: z.unknown().optional(), fields: z.record(z.string(), z.unknown()).catch({}) })
        .catch({ each: undefined, fields: {} }),
    )
    .optional()
    .catch(undefined),
  pulse: z
    .object({
      provider: z.string().optional().catch(undefined),
      each: z.unknown().optional(),
      fields: z.record(z.string(), z.unknown()).catch({}),
    })
    .optional()
    .catch(undefined),
});

/** What a provider reads. */
interface Document {
  readonly name: string;
  readonly view: View;
}

/** Records of one kind, with what they are read from. */
interface Read {
  readonly path: readonly string[];
  readonly provider: string;
  readonly document: Document;
  readonly each?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

const documents: Readonly<Record<string, Document>> = {
  html: { name: 'an HTML page', view: 'tree' },
  xml: { name: 'an XML document', view: 'tree' },
  rss: { name: 'a feed', view: 'tree' },
  json: { name: 'a JSON document', view: 'json' },
  csv: { name: 'a CSV table', view: 'json' },
};

/** Places that cannot be in the documents that a source's provider reads, and records that are missing. */
export function documentIssues(source: unknown): Issue[] {
  const outline = Outline.safeParse(source);
  if (!outline.success) return [];
  const { provider, records, pulse, csv } = outline.data;
  const document = documentBy(provider);
  if (document === undefined) return [];
  const issues: Issue[] = [];
  if (csv !== undefined && provider !== 'csv')
    issues.push({ path: ['csv'], message: `expected it with "provider: csv" only, got "provider: ${provider}"` });
  if (provider !== 'rss' && !hasPlugin(source) && Object.keys(records ?? {}).length === 0 && isEmptyOrMissing(source))
    issues.push({
      path: ['records'],
      message: `${records === undefined ? 'missing, ' : ''}expected at least one record`,
    });
  for (const [name, { each, fields }] of Object.entries(records ?? {}))
    issues.push(...placeIssues({ path: ['records', name], provider, document, each, fields }));
  const own = pulse?.provider ?? provider;
  const answer = documentBy(own);
  if (pulse === undefined || answer === undefined) return issues;
  const hint = pulse.provider === undefined ? '; "provider" of the pulse says what else its answers are read as' : '';
  const { each, fields } = pulse;
  for (const { path, message } of placeIssues({ path: ['pulse'], provider: own, document: answer, each, fields }))
    issues.push({ path, message: `${message}${hint}` });
  return issues;
}

function documentBy(provider: string): Document | undefined {
  return Object.hasOwn(documents, provider) ? documents[provider] : undefined;
}

function* placeIssues({ path, provider, document, each, fields }: Read): Generator<Issue> {
  const read = each === undefined ? undefined : EachSchema.safeParse(each);
  const place = read?.success === true ? read.data : undefined;
  const from = place === undefined ? document.view : viewAt(place, document.view);
  const fault = place === undefined ? undefined : faultOf(place, document.view, provider, document.name);
  if (fault !== undefined) {
    yield { path: [...path, 'each'], message: fault };
    return;
  }
  for (const [key, field] of Object.entries(fields)) {
    const rule = Rule.safeParse(field);
    const message = rule.success ? ruleFault(rule.data, from) : undefined;
    if (message !== undefined) yield { path: [...path, 'fields', key], message };
  }

  function ruleFault(rule: Rule, seen: View): string | undefined {
    const { place: where, typed } = partsOf(rule);
    const places = where.any ?? [where];
    for (const one of places) {
      const wrong = faultOf(one, seen, provider, document.name);
      if (wrong !== undefined) return wrong;
    }
    let element: typeof typed = typed;
    while (element.type === 'array') element = element.of;
    if (element.type !== 'object') return undefined;
    const views = new Set(places.map((one) => viewAt(one, seen)));
    const [view] = views;
    const inner = views.size === 1 && view !== undefined ? view : 'either';
    for (const one of Object.values(element.fields)) {
      const wrong = ruleFault(one, inner);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
}

/** Records of which each is wrong are told where they stand. */
function isEmptyOrMissing(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('records' in source)) return true;
  const { records } = source;
  return typeof records === 'object' && records !== null && Object.keys(records).length === 0;
}

/** What the rules within a place look into. */
function viewAt(place: Place | EachPlace, from: View): View {
  if (place.json !== undefined || 'meta' in place || 'const' in place) return 'json';
  return place.css !== undefined || place.xpath !== undefined ? 'tree' : from;
}

function faultOf(place: Place | EachPlace, from: View, provider: string, document: string): string | undefined {
  const { css, xpath, json } = place;
  const ofTree = css !== undefined ? 'a CSS selector' : xpath !== undefined ? 'an XPath' : undefined;
  if (ofTree !== undefined && from === 'json')
    return `expected a JSON path, got ${ofTree}, "${css ?? xpath ?? ''}": there are no elements in ${document === documents['html']?.name ? 'JSON' : document}`;
  if (json !== undefined && place.in === undefined && from === 'tree')
    return `expected a CSS selector or an XPath, or "in" that says where the JSON stands, got "${json}" for ${document}`;
  if ((place.in !== undefined || 'meta' in place) && provider !== 'html')
    return `expected a place of ${document}, got one that only HTML pages have`;
  return undefined;
}
