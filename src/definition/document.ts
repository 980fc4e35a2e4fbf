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
    .object({ fields: z.record(z.string(), z.unknown()).catch({}) })
    .optional()
    .catch(undefined),
});

const documents: Readonly<Record<string, { readonly name: string; readonly view: View }>> = {
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
  const document = Object.hasOwn(documents, provider) ? documents[provider] : undefined;
  if (document === undefined) return [];
  const issues: Issue[] = [];
  if (csv !== undefined && provider !== 'csv')
    issues.push({ path: ['csv'], message: `expected it with "provider: csv" only, got "provider: ${provider}"` });
  if (provider !== 'rss' && !hasPlugin(source) && Object.keys(records ?? {}).length === 0 && isEmptyOrMissing(source))
    issues.push({
      path: ['records'],
      message: `${records === undefined ? 'missing, ' : ''}expected at least one record`,
    });
  for (const [name, { each, fields }] of Object.entries(records ?? {})) {
    const read = each === undefined ? undefined : EachSchema.safeParse(each);
    const place = read?.success === true ? read.data : undefined;
    const from = place === undefined ? document.view : viewAt(place, document.view);
    const fault = place === undefined ? undefined : faultOf(place, document.view, provider, document.name);
    if (fault !== undefined) issues.push({ path: ['records', name, 'each'], message: fault });
    else issues.push(...fieldIssues(fields, ['records', name, 'fields'], from));
  }
  issues.push(...fieldIssues(pulse?.fields ?? {}, ['pulse', 'fields'], document.view));
  return issues;

  function* fieldIssues(
    fields: Readonly<Record<string, unknown>>,
    path: readonly string[],
    from: View,
  ): Generator<Issue> {
    for (const [key, field] of Object.entries(fields)) {
      const rule = Rule.safeParse(field);
      const message = rule.success ? ruleFault(rule.data, from) : undefined;
      if (message !== undefined) yield { path: [...path, key], message };
    }
  }

  function ruleFault(rule: Rule, from: View): string | undefined {
    const { place, typed } = partsOf(rule);
    const places = place.any ?? [place];
    for (const each of places) {
      const fault = faultOf(each, from, provider, document?.name ?? '');
      if (fault !== undefined) return fault;
    }
    let element: typeof typed = typed;
    while (element.type === 'array') element = element.of;
    if (element.type !== 'object') return undefined;
    const views = new Set(places.map((each) => viewAt(each, from)));
    const [view] = views;
    const inner = views.size === 1 && view !== undefined ? view : 'either';
    for (const each of Object.values(element.fields)) {
      const fault = ruleFault(each, inner);
      if (fault !== undefined) return fault;
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
