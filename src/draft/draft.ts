import { type Document, type Element, isTag } from 'domhandler';
import { decodeBody } from '../extract/charset.ts';
import { isTooDense, maxParts } from '../extract/density.ts';
import { parseCsv } from '../extract/document/csv.ts';
import { parseJson } from '../extract/document/json.ts';
import { attributeOf, elementsIn } from '../extract/document/node.ts';
import { parseXml } from '../extract/document/xml.ts';
import type { Value } from '../extract/draft.ts';
import { collapsedText } from '../extract/rule/text.ts';
import { parseTree } from '../extract/tree.ts';
import { blockRecord } from './block-record.ts';
import { describedRecords, openGraphRecord } from './embedded.ts';
import { fieldsOfObjects, isObject } from './json-fields.ts';
import { type DraftRecord, fieldName, keyOf } from './record.ts';

/** A page to draft a definition from. */
export interface DraftPage {
  readonly body: Uint8Array;
  readonly url: string;
  readonly contentType?: string;
}

/** How a page can be read; the first of several ways. */
export interface Draft {
  readonly provider: 'html' | 'xml' | 'json' | 'csv' | 'rss';
  /** What the page calls itself. */
  readonly name?: string;
  /** Missing where the provider has a record of its own, and where nothing was found. */
  readonly record?: DraftRecord;
  /** What was found, the first of it taken; sentences for people. */
  readonly found: readonly string[];
}

/** Drafts how a page can be read from what it holds. Pure. */
export async function draftOf({ body, url, contentType }: DraftPage): Promise<Draft> {
  const text = decodeBody(body, contentType);
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (/^[[{]/.test(start)) {
    if (isTooDense(text, { document: 'json' })) return tooDense('json');
    const parsed = parseJson(text);
    if (parsed.ok) return ofJson(parsed.value, url);
  }
  if (/^<(?:\?xml|rss|feed|rdf:RDF|urlset|sitemapindex)\b/i.test(start)) {
    const isPage = /^(?:<\?xml[^>]*>\s*)?<!doctype html/i.test(start) || /<html[\s>]/i.test(start.slice(0, 2_000));
    if (!isPage) return isTooDense(text, { document: 'xml' }) ? tooDense('xml') : ofXml(parseXml(text));
  }
  if (
    /csv|tab-separated/i.test(contentType ?? '') ||
    (!start.startsWith('<') && /^[^\n]*[,;\t|][^\n]*\r?\n/.test(start))
  )
    return isTooDense(text, { document: 'csv' }) ? tooDense('csv') : ofCsv(text, url);
  return isTooDense(text, { document: 'html' }) ? tooDense('html') : ofHtml(await parseTree(text, 'fast'), url);
}

function tooDense(provider: 'html' | 'xml' | 'json' | 'csv'): Draft {
  return { provider, found: [`more than ${maxParts} tags or values, which no thread could hold`] };
}

function ofHtml(root: Document, url: string): Draft {
  const described = describedRecords(root, url);
  const block = blockRecord(root, url);
  const graph = openGraphRecord(root, url);
  const records = [...described, ...(block === undefined ? [] : [block]), ...(graph === undefined ? [] : [graph])];
  const name = titleOf(root);
  const [record = plainRecord(root)] = records;
  return {
    provider: 'html',
    ...(name !== undefined && { name }),
    ...(record !== undefined && { record }),
    found: records.length > 0 ? records.map(({ found }) => found) : ['nothing but a heading'],
  };
}

function titleOf(root: Document): string | undefined {
  const text = textOf(root, 'title') ?? textOf(root, 'h1');
  return text?.slice(0, 100);
}

function textOf(root: Document, tag: string): string | undefined {
  for (const element of elementsIn(root)) if (element.name === tag) return collapsedText(element).trim() || undefined;
  return undefined;
}

/** What any page has: a heading or a title, and perhaps an address of its own. */
function plainRecord(root: Document): DraftRecord | undefined {
  const css = ['h1', 'title'].find((tag) => textOf(root, tag) !== undefined);
  if (css === undefined) return undefined;
  const canonical = Array.from(elementsIn(root)).find(
    ({ name, attribs }) => name === 'link' && attribs['rel'] === 'canonical',
  );
  const isAddressed = canonical !== undefined && attributeOf(canonical, 'href') !== undefined;
  return {
    type: 'page',
    key: isAddressed ? 'url' : 'title',
    fields: {
      ...(isAddressed && { url: { css: 'link[rel=canonical]', attr: 'href', type: 'url' } }),
      title: { css },
    },
    isWhole: true,
    found: `a heading in ${css}`,
  };
}

function ofXml(root: Document): Draft {
  const names = new Set(Array.from(elementsIn(root), ({ name }) => name));
  const isFeed = ['rss', 'rdf:RDF', 'feed'].some((name) => names.has(name));
  if (isFeed)
    return { provider: 'rss', found: [`a feed with ${names.has('entry') ? 'entries of Atom' : 'items of RSS'}`] };
  const record = repeatedElement(root);
  return { provider: 'xml', ...(record && { record }), found: [record?.found ?? 'no repeated element'] };
}

/** The element of an XML document that is there most often and holds others. */
function repeatedElement(root: Document): DraftRecord | undefined {
  const counts = new Map<string, { readonly members: Element[] }>();
  const elements = Array.from(elementsIn(root)).slice(0, 50_000);
  for (const element of elements) {
    if (!element.children.some(isTag)) continue;
    const group = counts.get(element.name) ?? { members: [] };
    group.members.push(element);
    counts.set(element.name, group);
  }
  const [best] = [...counts].toSorted(([, a], [, b]) => b.members.length - a.members.length);
  if (best === undefined) return undefined;
  const [tag, { members }] = best;
  const children = new Map<string, Value[]>();
  for (const [index, member] of members.entries()) {
    for (const child of member.children) {
      if (!isTag(child) || child.children.some(isTag)) continue;
      const samples = children.get(child.name) ?? members.map(() => null);
      samples[index] ??= collapsedText(child).trim();
      children.set(child.name, samples);
    }
  }
  const named = new Map(
    Array.from(children, ([name, samples]) => [fieldName(name), { name, samples }] as const).slice(0, 16),
  );
  named.delete('');
  // A prefix may be bound to anything; the local name is what counts.
  const fields = Object.fromEntries(
    Array.from(named, ([field, { name }]) => [field, { xpath: `*[name()='${name}']` }]),
  );
  const key = keyOf(fields, (field) => named.get(field)?.samples ?? []);
  if (key === undefined) return undefined;
  const each = { xpath: `//*[name()='${tag}']` };
  return {
    type: fieldName(tag) || 'item',
    key,
    each,
    fields,
    isWhole: false,
    found: `${members.length} elements ${tag}`,
  };
}

function ofJson(value: Value, url: string): Draft {
  const list = listIn(value, '$', 0);
  const objects = list?.objects ?? (isObject(value) ? [value] : []);
  const { fields, samplesOf } = fieldsOfObjects(objects, url);
  const key = keyOf(fields, samplesOf);
  const found = list === undefined ? 'one object' : `${objects.length} objects at ${list.path}[*]`;
  if (key === undefined) return { provider: 'json', found: [`${found}, of which no field tells one from another`] };
  const each = list === undefined ? {} : { each: `${list.path}[*]` };
  return {
    provider: 'json',
    record: { type: 'item', key, ...each, fields, isWhole: list === undefined, found },
    found: [found],
  };
}

interface List {
  readonly path: string;
  readonly objects: readonly Readonly<Record<string, Value>>[];
}

/** The longest list of objects that is not within another. */
function listIn(value: Value, path: string, depth: number): List | undefined {
  if (Array.isArray(value)) {
    const objects = (value as readonly Value[]).filter(isObject);
    return objects.length > 0 && objects.length === value.length ? { path, objects } : undefined;
  }
  if (!isObject(value) || depth > 3) return undefined;
  const lists = Object.entries(value).flatMap(([key, inner]) => {
    if (!/^[A-Za-z_]\w*$/.test(key)) return [];
    return listIn(inner, `${path}.${key}`, depth + 1) ?? [];
  });
  return lists.toSorted((a, b) => b.objects.length - a.objects.length)[0];
}

function ofCsv(text: string, url: string): Draft {
  const parsed = parseCsv(text);
  const rows = parsed.ok ? parsed.value : [];
  const found = `${rows.length} rows of a table`;
  const { fields, samplesOf } = fieldsOfObjects(rows, url);
  const key = keyOf(fields, samplesOf);
  if (key === undefined) return { provider: 'csv', found: [`${found}, of which no column tells one from another`] };
  return { provider: 'csv', record: { type: 'row', key, fields, isWhole: false, found }, found: [found] };
}
