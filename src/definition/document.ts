import { documentKind } from '../extract/document/all.ts';
import type { DocumentKind } from '../extract/document/kind.ts';
import { type EachPlace, EachPlace as EachSchema, type Place } from './place.ts';
import type { Outline } from './outline.ts';
import { hasPlugin } from './plugin.ts';
import type { Issue } from '../schema/expected.ts';
import { isMapping } from '../schema/mapping.ts';
import { partsOf, RecordFieldRule, type Rule } from './rule.ts';

/** What rules search: a tree of elements, a JSON value, or either, if alternatives lead to both. */
type View = 'tree' | 'json' | 'either';

/** The records of one type, with the kind of document that they are read from. */
interface Read {
  readonly path: readonly string[];
  readonly document: DocumentKind;
  readonly each?: unknown;
  readonly rules: Readonly<Record<string, unknown>>;
}

/** Yields issues for rules that search for what the source's kind of document cannot have, and for missing records. */
export function* documentIssues(
  { provider = 'html', records, pulse, csv, ignore }: Outline,
  source: unknown,
): Generator<Issue> {
  const document = documentKind(provider);
  if (document === undefined) return;
  if (csv !== undefined && provider !== 'csv')
    yield { path: ['csv'], message: `expected it with "provider: csv" only, got "provider: ${provider}"` };
  if (ignore !== undefined && document.view === 'json')
    yield { path: ['ignore'], message: `expected it for pages with elements only, got ${document.title}` };
  if (document.record === undefined && !hasPlugin(source)) yield* emptyIssues(source);
  for (const [name, { each, page, rules }] of Object.entries(records)) {
    const path = ['records', name];
    yield* placeIssues({ path, document, each, rules });
    const own = documentKind(page?.provider ?? provider);
    if (page !== undefined && own !== undefined)
      yield* itemIssues({ path: [...path, 'page'], document, each, rules: page.rules }, page.url, own);
  }
  const answer = documentKind(pulse?.provider ?? provider);
  if (pulse === undefined || answer === undefined) return;
  const hint = pulse.provider === undefined ? '; "provider" of the pulse says what else its answers are read as' : '';
  for (const { path, message } of placeIssues({ ...pulse, path: ['pulse'], document: answer }))
    yield { path, message: `${message}${hint}` };
}

/** Yields issues of the address in an item, and of the rules for the page that it leads to. */
function* itemIssues({ path, document, each, rules }: Read, url: unknown, own: DocumentKind): Generator<Issue> {
  for (const { path: at, message } of placeIssues({ path, document, each, rules: { url } }))
    if (at.includes('fields')) yield { path: [...path, 'url'], message };
  const hint = own === document ? '; "provider" of the page says what else it is read as' : '';
  for (const { path: at, message } of placeIssues({ path, document: own, rules }))
    yield { path: at, message: `${message}${hint}` };
}

/** Yields an issue for a source without any record. Faults of single records are yielded elsewhere. */
function* emptyIssues(source: unknown): Generator<Issue> {
  const message = 'expected at least one record';
  if (!isMapping(source) || !('records' in source)) yield { path: ['records'], message: `missing, ${message}` };
  else if (isMapping(source['records']) && Object.keys(source['records']).length === 0)
    yield { path: ['records'], message };
}

function* placeIssues({ path, document, each, rules }: Read): Generator<Issue> {
  const read = each === undefined ? undefined : EachSchema.safeParse(each);
  const place = read?.success === true ? read.data : undefined;
  const whole: View = document.view === 'json' ? 'json' : 'tree';
  const from = place === undefined ? whole : viewAt(place, whole);
  const fault = place === undefined ? undefined : faultOf(place, whole, document);
  if (fault !== undefined) {
    yield { path: [...path, 'each'], message: fault };
    return;
  }
  for (const [key, given] of Object.entries(rules)) {
    const rule = RecordFieldRule.safeParse(given);
    const message = rule.success ? ruleFault(rule.data, from) : undefined;
    if (message !== undefined) yield { path: [...path, 'fields', key], message };
  }

  function ruleFault(rule: Rule, seen: View): string | undefined {
    const { place: where, typed } = partsOf(rule);
    const places = where.any ?? [where];
    for (const one of places) {
      const wrong = faultOf(one, seen, document);
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

/** The view that rules within a place search. */
function viewAt(place: Place | EachPlace, from: View): View {
  if (place.json !== undefined || 'meta' in place || 'const' in place || 'page' in place) return 'json';
  return place.css !== undefined || place.xpath !== undefined ? 'tree' : from;
}

function faultOf(place: Place | EachPlace, from: View, document: DocumentKind): string | undefined {
  const { css, xpath, json } = place;
  const ofTree = css !== undefined ? 'a CSS selector' : xpath !== undefined ? 'an XPath' : undefined;
  if (ofTree !== undefined && from === 'json')
    return `expected a JSON path, got ${ofTree}, "${css ?? xpath ?? ''}": there are no elements in ${document.view === 'html' ? 'JSON' : document.title}`;
  if ('from' in place && from === 'json') return 'expected a place in JSON, got "from", which leads to elements';
  if (json !== undefined && place.in === undefined && from === 'tree')
    return `expected a CSS selector or an XPath, or "in" that says where the JSON stands, got "${json}" for ${document.title}`;
  if ((place.in !== undefined || 'meta' in place) && document.view !== 'html')
    return `expected a place of ${document.title}, got one that only HTML pages have`;
  return undefined;
}
