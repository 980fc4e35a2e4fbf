import { type Document, type Element, isTag } from 'domhandler';
import { decodeBody } from '../extract/decode.ts';
import { isTooDense, maxParts } from '../extract/tree/parts.ts';
import { documentKind, type DocumentName } from '../extract/document/all.ts';
import { parseCsv } from '../extract/document/csv.ts';
import { parseJson } from '../extract/value/json-text.ts';
import { attributeOf, elementsIn, findFirst } from '../extract/tree/nodes.ts';
import { parseXml } from '../extract/document/xml.ts';
import type { Value } from '../extract/value/value.ts';
import { collapsedText } from '../extract/tree/text.ts';
import { parseHtml } from '../extract/document/html.ts';
import { defined } from '../defined.ts';
import { blockRecord } from './blocks.ts';
import { plainBlockRecord } from './plain-blocks.ts';
import { describedRecords, fieldsOfObjects, isObject, openGraphRecord } from './described.ts';
import { labelledPrice } from './labelled-price.ts';
import { linkedList, type DraftFeed, pagingOf } from './paging.ts';
import { type DraftRecord, fieldName, keyedByAddress, keysOf } from './record.ts';

/** A page to draft a definition from. */
export interface DraftPage {
  readonly body: Uint8Array;
  readonly url: string;
  readonly contentType?: string;
}

/** How a page can be read: the best way that was found. */
export interface Draft {
  readonly provider: DocumentName;
  /** The title of the page. */
  readonly name?: string;
  /** How the list goes on behind the page; missing where nothing there says so. */
  readonly feed?: DraftFeed['feed'];
  /** Missing where the provider has a record of its own, and where nothing was found. */
  readonly record?: DraftRecord;
  /** Sentences about what was found; the first is what the record is made of. */
  readonly found: readonly string[];
  /** Sentences on what a person may add to the definition. Default: none. */
  readonly hints?: readonly string[];
}

/** Drafts how a page can be read from what it holds. Pure. Rejects with `TooManyParts` for more attributes than a thread may hold. */
export async function draftOf({ body, url, contentType }: DraftPage): Promise<Draft> {
  const text = decodeBody(body, contentType);
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (/^[[{]/.test(start)) {
    if (isTooDense(text, documentKind('json').marks({}))) return tooDense('json');
    const parsed = parseJson(text);
    if (parsed.ok) return ofJson(parsed.value, url);
  }
  if (/^<(?:\?xml|rss|feed|rdf:RDF|urlset|sitemapindex)\b/i.test(start)) {
    const isPage = /^(?:<\?xml[^>]*>\s*)?<!doctype html/i.test(start) || /<html[\s>]/i.test(start.slice(0, 2_000));
    if (!isPage) return isTooDense(text, documentKind('xml').marks({})) ? tooDense('xml') : ofXml(parseXml(text));
  }
  if (
    /csv|tab-separated/i.test(contentType ?? '') ||
    (!start.startsWith('<') && /^[^\n]*[,;\t|][^\n]*\r?\n/.test(start))
  )
    return isTooDense(text, documentKind('csv').marks({})) ? tooDense('csv') : ofCsv(text, url);
  return isTooDense(text, documentKind('html').marks({})) ? tooDense('html') : ofHtml(parseHtml(text), url);
}

function tooDense(provider: DocumentName): Draft {
  return { provider, found: [`more than ${maxParts} tags or values, which no thread could hold`] };
}

function ofHtml(root: Document, url: string): Draft {
  const described = describedRecords(root, url);
  const block = blockRecord(root, url);
  const graph = openGraphRecord(root, url);
  const records = [...described, ...(block === undefined ? [] : [block]), ...(graph === undefined ? [] : [graph])];
  const name = titleOf(root);
  if (records.length === 0) records.push(...[plainBlockRecord(root, url)].flatMap((each) => each ?? []));
  const [first = plainRecord(root, url)] = records;
  const record = first && keyedByAddress(first);
  return {
    provider: 'html',
    ...defined({ name, record }),
    ...listed(
      record?.isWhole === false ? pagingOf(root, url) : undefined,
      records.length > 0
        ? records.map(({ found }) => found)
        : [
            record?.fields['price'] === undefined
              ? 'nothing but a heading'
              : 'a heading, and the one price in the text',
          ],
    ),
  };
}

/** Adds how a list goes on to what was found on its page. */
function listed(paging: DraftFeed | undefined, found: readonly string[]): Pick<Draft, 'feed' | 'found'> {
  if (paging === undefined) return { found };
  const [first = '', ...others] = found;
  return { feed: paging.feed, found: [`${first}, and ${paging.found}`, ...others] };
}

function titleOf(root: Document): string | undefined {
  const text = textOf(root, 'title') ?? textOf(root, 'h1');
  return text?.slice(0, 100);
}

function textOf(root: Document, tag: string): string | undefined {
  const found = findFirst(root, ({ name }) => name === tag);
  return found && (collapsedText(found).trim() || undefined);
}

/** Drafts a record of a page's heading or title, perhaps its canonical address and the one price in its text; undefined if it has neither. */
function plainRecord(root: Document, base: string): DraftRecord | undefined {
  const css = ['h1', 'title'].find((tag) => textOf(root, tag) !== undefined);
  if (css === undefined) return undefined;
  const canonical = findFirst(root, ({ name, attribs }) => name === 'link' && attribs['rel'] === 'canonical');
  const price = labelledPrice(root, base);
  const isAddressed = canonical !== undefined && attributeOf(canonical, 'href') !== undefined;
  return {
    type: 'page',
    key: isAddressed ? 'url' : 'title',
    otherKeys: [],
    fields: {
      ...(isAddressed && { url: { css: 'link[rel=canonical]', attr: 'href', type: 'url' } }),
      title: { css },
      ...defined({ price }),
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
  return { provider: 'xml', ...defined({ record }), found: [record?.found ?? 'no repeated element'] };
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
  const [key, ...otherKeys] = keysOf(fields, (field) => named.get(field)?.samples ?? []);
  if (key === undefined) return undefined;
  const each = { xpath: `//*[name()='${tag}']` };
  return {
    type: fieldName(tag) || 'item',
    key,
    otherKeys,
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
  const [key, ...otherKeys] = keysOf(fields, samplesOf);
  const found = list === undefined ? 'one object' : `${objects.length} objects at ${list.path}[*]`;
  const isWhole = list === undefined && Object.keys(fields).length > 0;
  if (key === undefined && !isWhole)
    return { provider: 'json', found: [`${found}, of which no field tells one from another`] };
  const each = list === undefined ? {} : { each: `${list.path}[*]` };
  return {
    provider: 'json',
    record: keyedByAddress({ type: 'item', key: key ?? [], otherKeys, ...each, fields, isWhole, found }),
    ...listed(list === undefined ? undefined : linkedList(value, url, list.path.split('.').slice(1, -1)), [found]),
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
  const [key, ...otherKeys] = keysOf(fields, samplesOf);
  if (key === undefined) return { provider: 'csv', found: [`${found}, of which no column tells one from another`] };
  return { provider: 'csv', record: { type: 'row', key, otherKeys, fields, isWhole: false, found }, found: [found] };
}
