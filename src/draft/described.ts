import { isList, type Value } from '../extract/value/value.ts';
import { type DraftField, type DraftRecord, fieldName, guessedType, keysOf, maxFields } from './record.ts';
import type { Document } from 'domhandler';
import { maxParts } from '../extract/tree/parts.ts';
import { compileEmbedded } from '../extract/embedded/all.ts';
import { readValue } from '../extract/value/all.ts';
import { metaContents } from '../extract/tree/nodes.ts';
import { defined } from '../defined.ts';

/** Types of things that pages are about, unlike the shop or the way to the page, which are described there too. */
const wanted =
  /(?:^|\/)(Product|ProductGroup|IndividualProduct|Article|NewsArticle|BlogPosting|Event|\w+Event|Recipe|JobPosting|Book|Movie|Course|Dataset|VideoObject|Offer|Place|LocalBusiness|Restaurant|Hotel|Review|SoftwareApplication|Vehicle|Car|RealEstateListing|CreativeWork|Quotation|Question|SocialMediaPosting|DiscussionForumPosting|Comment)$/;

/** Drafts a record from each of `ld+json` and microdata: of the type that most of what a page describes there has. */
export function describedRecords(root: Document, base: string): DraftRecord[] {
  const page = { base, roomParts: maxParts };
  return (['ld+json', 'microdata'] as const).flatMap((where) => {
    const told = compileEmbedded(where)(root, page);
    const things = told !== undefined && isList(told) ? told.filter(isObject) : [];
    const byType = Map.groupBy(things, (thing) => typeOf(thing, where) ?? '');
    byType.delete('');
    const groups = [...Array.from(byType, ([type, all]) => ofType(type, all, where)), ...listedThings(things, where)];
    const [most] = groups.toSorted((a, b) => b.things.length - a.things.length);
    return most === undefined ? [] : recordOf(most, where, base);
  });
}

/** Things of one kind, and the path that leads to each of them. */
interface Things {
  readonly type: string;
  readonly json: string;
  readonly things: readonly JsonObject[];
}

function ofType(type: string, things: readonly JsonObject[], where: 'ld+json' | 'microdata'): Things {
  const isListed = things.some((thing) => Array.isArray(thing[where === 'ld+json' ? '@type' : 'type']));
  return { type, json: pathOfType(type, where, isListed), things };
}

function pathOfType(type: string, where: 'ld+json' | 'microdata', isListed: boolean): string {
  const name = where === 'ld+json' ? "@['@type']" : '@.type';
  return `$[?${name}${isListed ? '[0]' : ''} == ${JSON.stringify(type)}]`;
}

/** The things that an `ItemList` of schema.org lists, in its places or as the `item` of each. */
function listedThings(things: readonly JsonObject[], where: 'ld+json' | 'microdata'): Things[] {
  const [kind, inner] = where === 'ld+json' ? (['@type', ''] as const) : (['type', '.props'] as const);
  return things.flatMap((list): Things[] => {
    const type = list[kind];
    if (typeof type !== 'string' || !/(?:^|\/)ItemList$/.test(type)) return [];
    const places = propertyOf(list, 'itemListElement', where).filter(isObject);
    const items = places.map((place) => propertyOf(place, 'item', where)[0]).filter(isObject);
    const isWithin = items.length === places.length;
    const all = isWithin ? items : places;
    if (all.length < fewestListed) return [];
    const each = isWithin ? `${inner}.item${where === 'ld+json' ? '' : '[0]'}` : '';
    const json = `${pathOfType(type, where, false)}${inner}.itemListElement[*]${each}`;
    return [{ type: typeOf(all[0] ?? {}, where) ?? 'item', json, things: all }];
  });
}

/** Things that a list has at least. */
const fewestListed = 2;

function propertyOf(thing: JsonObject, name: string, where: 'ld+json' | 'microdata'): readonly Value[] {
  const holder = where === 'ld+json' ? thing : thing['props'];
  const value = isObject(holder) ? holder[name] : undefined;
  return value === undefined ? [] : isList(value) ? value : [value];
}

function typeOf(thing: JsonObject, where: 'ld+json' | 'microdata'): string | undefined {
  const type = [thing[where === 'ld+json' ? '@type' : 'type'] ?? []].flat()[0];
  return typeof type === 'string' && wanted.test(type) ? type : undefined;
}

function recordOf({ type, json, things }: Things, where: 'ld+json' | 'microdata', base: string): DraftRecord[] {
  const { fields, samplesOf } = fieldsOfObjects(things, base);
  const [key, ...otherKeys] = keysOf(fields, samplesOf);
  if (key === undefined) return [];
  const short = fieldName(type.replace(/.*\//, '')) || 'item';
  const found = `${things.length} of ${short} described as ${where}`;
  return [{ type: short, key, otherKeys, each: { json, in: where }, fields, isWhole: things.length === 1, found }];
}

const properties: readonly (readonly [name: string, property: string])[] = [
  ['url', 'og:url'],
  ['title', 'og:title'],
  ['description', 'og:description'],
  ['image', 'og:image'],
  ['site', 'og:site_name'],
  ['price', 'product:price:amount'],
  ['currency', 'product:price:currency'],
  ['published', 'article:published_time'],
  ['author', 'article:author'],
];

/** Drafts a record of a page's Open Graph properties; undefined if there are too few. */
export function openGraphRecord(root: Document, base: string): DraftRecord | undefined {
  const fields: Record<string, DraftField> = {};
  for (const [name, property] of properties) {
    const [content] = metaContents(root, property);
    if (content === undefined || content.trim() === '') continue;
    const isUrl = (name === 'url' || name === 'image') && URL.parse(content, base) !== null;
    const isInstant = name === 'published' && !Number.isNaN(Date.parse(content));
    const isNumber = name === 'price' && /^\d+(?:\.\d+)?$/.test(content);
    const type = isUrl ? 'url' : isInstant ? 'datetime' : isNumber ? 'number' : undefined;
    fields[name] = { meta: property, ...defined({ type }) };
  }
  const key = ['url', 'title'].find((name) => Object.hasOwn(fields, name));
  if (key === undefined || Object.keys(fields).length < 2) return undefined;
  const [kind = 'page'] = metaContents(root, 'og:type');
  const type = fieldName(kind.replace(/.*[.:]/, '')) || 'page';
  return {
    type: type === 'website' ? 'page' : type,
    key,
    otherKeys: [],
    fields,
    isWhole: true,
    found: `Open Graph with ${Object.keys(fields).join(', ')}`,
  };
}

type JsonObject = Readonly<Record<string, Value>>;

/** A value within an object, and the path that leads there. */
interface Leaf {
  readonly path: string;
  readonly names: readonly string[];
  readonly isList: boolean;
}

/** How deep fields are looked for. */
const maxDepth = 3;

/** Whether a value is an object and no list. */
export function isObject(value: Value | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Drafts the fields of similar objects; `samplesOf` gives the values of a field in all of them. */
export function fieldsOfObjects(
  objects: readonly JsonObject[],
  base: string,
): { readonly fields: Record<string, DraftField>; samplesOf(name: string): readonly Value[] } {
  const leaves = new Map(
    objects.slice(0, 20).flatMap((object) => leavesOf(object, '$', []).map((leaf) => [leaf.path, leaf] as const)),
  );
  const names = namesOf([...leaves.values()]);
  const fields: Record<string, DraftField> = {};
  const samples: Record<string, readonly Value[]> = {};
  for (const [path, leaf] of leaves) {
    const name = names.get(path);
    if (name === undefined || Object.keys(fields).length >= maxFields) continue;
    const found = objects.map((object) => at(object, leaf));
    const currency = currencyBeside(objects, leaf);
    const given = leaf.isList ? found.flatMap((value) => (isList(value) ? value : [])) : found;
    const offer = offerOf(objects, leaf, base);
    const type = offer === undefined ? guessedType(name, given, base, currency) : { type: 'money' };
    fields[name] = {
      json: offer ?? path,
      ...(leaf.isList ? { type: 'array', ...(type['type'] !== undefined && { of: type }) } : type),
    };
    samples[name] = leaf.isList ? [] : found;
  }
  return { fields, samplesOf: (name) => samples[name] ?? [] };
}

/** Texts, numbers and lists of them; of a list of objects the first counts. */
function leavesOf(object: JsonObject, path: string, names: readonly string[]): Leaf[] {
  return Object.entries(object).flatMap(([key, value]): Leaf[] => {
    // What microdata says beside the properties of a thing is what kind of thing it is.
    if ((key.startsWith('@') && key !== '@id') || (key === 'type' && 'props' in object)) return [];
    const here = `${path}${/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${quotedKey(key)}]`}`;
    const all = [...names, key];
    if (isObject(value)) return depthOf(all) < maxDepth ? leavesOf(value, here, all) : [];
    if (!isList(value)) return value === null ? [] : [{ path: here, names: all, isList: false }];
    const [first] = value;
    if (isObject(first)) return depthOf(all) < maxDepth ? leavesOf(first, `${here}[0]`, all) : [];
    // A list of one is what microdata makes of every property.
    if (value.length === 1) return [{ path: `${here}[0]`, names: all, isList: false }];
    return first === undefined || isList(first) ? [] : [{ path: here, names: all, isList: true }];
  });
}

function depthOf(names: readonly string[]): number {
  return names.filter((name) => name !== 'props').length;
}

function quotedKey(key: string): string {
  return `'${key.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** The shortest names that tell all apart. */
function namesOf(leaves: readonly Leaf[]): Map<string, string> {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  for (const { path, names } of leaves) {
    for (let words = 1; words <= names.length; words += 1) {
      const name = fieldName(
        names
          .filter((each) => each !== 'props')
          .slice(-words)
          .join('_'),
      );
      if (name === '' || taken.has(name)) continue;
      taken.add(name);
      named.set(path, name);
      break;
    }
  }
  return named;
}

function at(object: JsonObject, { path, names }: Leaf): Value {
  let value: Value | undefined = object;
  for (const name of names) {
    const inner = firstOf(value);
    value = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }
  return (path.endsWith('[0]') ? firstOf(value) : value) ?? null;
}

/** The first element of a list; any other value stands for itself. */
function firstOf(value: Value | undefined): Value | undefined {
  return value !== undefined && isList(value) ? value[0] : value;
}

/** The path of the objects whose price this is, if all can be read whole as offers: then each price has the currency that stands beside it. */
function offerOf(objects: readonly JsonObject[], { path, names }: Leaf, base: string): string | undefined {
  const parent = path.slice(0, -'.price'.length);
  if (!path.endsWith('.price') || parent.endsWith('.props')) return undefined;
  const offers = objects
    .map((object) => at(object, { path: parent, names: names.slice(0, -1), isList: false }))
    .filter((offer) => isObject(offer) && offer['price'] !== undefined);
  const areRead = offers.every(
    (offer) =>
      isObject(offer) &&
      ('priceCurrency' in offer || 'currency' in offer) &&
      readValue(offer, { type: 'money' }, base).ok,
  );
  return offers.length > 0 && areRead ? parent : undefined;
}

/** The currency that stands beside a price, if it is one for all. */
function currencyBeside(objects: readonly JsonObject[], { path, names }: Leaf): string | undefined {
  const codes = new Set(
    ['priceCurrency', 'currency'].flatMap((name) => {
      const beside = { path, names: [...names.slice(0, -1), name], isList: false };
      return objects.map((object) => at(object, beside));
    }),
  );
  codes.delete(null);
  const [code] = codes;
  return codes.size === 1 && typeof code === 'string' && /^[A-Z]{3}$/.test(code) ? code : undefined;
}
