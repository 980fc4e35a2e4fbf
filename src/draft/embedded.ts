import type { Document } from 'domhandler';
import { maxParts } from '../extract/density.ts';
import { embeddedJson, metaContents } from '../extract/document/embedded.ts';
import type { Value } from '../extract/draft.ts';
import { fieldsOfObjects, isObject } from './json-fields.ts';
import { type DraftField, type DraftRecord, fieldName, keyOf } from './record.ts';

/** What pages are about; other things that are described there, such as the shop or the way to the page, are not. */
const wanted =
  /(?:^|\/)(Product|ProductGroup|IndividualProduct|Article|NewsArticle|BlogPosting|Event|\w+Event|Recipe|JobPosting|Book|Movie|Course|Dataset|VideoObject|Offer|Place|LocalBusiness|Restaurant|Hotel|Review|SoftwareApplication|Vehicle|Car|RealEstateListing)$/;

/** Records that a page describes for machines, as `ld+json` or as microdata: those of the type that there are most of. */
export function describedRecords(root: Document, base: string): DraftRecord[] {
  const page = { base, roomParts: maxParts };
  return (['ld+json', 'microdata'] as const).flatMap((where) => {
    const told = embeddedJson(root, where, page);
    const things = Array.isArray(told) ? (told as readonly Value[]).filter(isObject) : [];
    const byType = Map.groupBy(things, (thing) => typeOf(thing, where) ?? '');
    byType.delete('');
    const [most] = [...byType].toSorted(([, a], [, b]) => b.length - a.length);
    return most === undefined ? [] : recordOf(most[0], most[1], where, base);
  });
}

type Thing = Readonly<Record<string, Value>>;

function typeOf(thing: Thing, where: 'ld+json' | 'microdata'): string | undefined {
  const type = [thing[where === 'ld+json' ? '@type' : 'type'] ?? []].flat()[0];
  return typeof type === 'string' && wanted.test(type) ? type : undefined;
}

function recordOf(type: string, things: readonly Thing[], where: 'ld+json' | 'microdata', base: string): DraftRecord[] {
  const { fields, samplesOf } = fieldsOfObjects(things, base);
  const key = keyOf(fields, samplesOf);
  if (key === undefined) return [];
  const name = where === 'ld+json' ? "@['@type']" : '@.type';
  const isListed = things.some((thing) => Array.isArray(thing[where === 'ld+json' ? '@type' : 'type']));
  const json = `$[?${name}${isListed ? '[0]' : ''} == ${JSON.stringify(type)}]`;
  const short = fieldName(type.replace(/.*\//, ''));
  const found = `${things.length} of ${short} described as ${where}`;
  return [{ type: short, key, each: { json, in: where }, fields, isWhole: things.length === 1, found }];
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

/** What a page says of itself for those who link to it. */
export function openGraphRecord(root: Document, base: string): DraftRecord | undefined {
  const fields: Record<string, DraftField> = {};
  for (const [name, property] of properties) {
    const [content] = metaContents(root, property);
    if (content === undefined || content.trim() === '') continue;
    const isUrl = (name === 'url' || name === 'image') && URL.parse(content, base) !== null;
    const isInstant = name === 'published' && !Number.isNaN(Date.parse(content));
    const isNumber = name === 'price' && /^\d+(?:\.\d+)?$/.test(content);
    const type = isUrl ? 'url' : isInstant ? 'datetime' : isNumber ? 'number' : undefined;
    fields[name] = { meta: property, ...(type !== undefined && { type }) };
  }
  const key = ['url', 'title'].find((name) => Object.hasOwn(fields, name));
  if (key === undefined || Object.keys(fields).length < 2) return undefined;
  const [kind = 'page'] = metaContents(root, 'og:type');
  const type = fieldName(kind.replace(/.*[.:]/, '')) || 'page';
  return {
    type: type === 'website' ? 'page' : type,
    key,
    fields,
    isWhole: true,
    found: `Open Graph with ${Object.keys(fields).join(', ')}`,
  };
}
