import { contentKey, type RecordKey } from '../definition/record-key.ts';
import type { Value } from '../extract/value/value.ts';
import { keyTypes, readValue, type ScalarRule } from '../extract/value/all.ts';

/** One field as a definition has it. */
export type DraftField = Readonly<Record<string, Value>>;

/** One type of record as a definition has it, and why it was taken for one. */
export interface DraftRecord {
  /** The name of the record's type, such as `product`. */
  readonly type: string;
  readonly key: RecordKey;
  /** What tells the records apart as well, if the key turns out not to: the best first. */
  readonly otherKeys: readonly RecordKey[];
  /** Missing for one record per page. */
  readonly each?: Value;
  readonly fields: Readonly<Record<string, DraftField>>;
  /** Whether the page is about this one thing, so that others of its kind have pages of their own. */
  readonly isWhole: boolean;
  /** A sentence for people on what was found. */
  readonly found: string;
}

/** Fields of a drafted record, at most. */
export const maxFields = 16;

/** Makes the name of a field from any text; empty if no part of the text can stand in a name. */
export function fieldName(text: string): string {
  const words = text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .toLowerCase();
  return words.slice(0, 40);
}

/** Guesses the type of a field, with its options, that all samples can be read as; no type, which means text, if none is sure. */
export function guessedType(name: string, samples: readonly Value[], base: string, currency?: string): DraftField {
  const said = samples.filter((sample) => sample !== null && sample !== '');
  if (said.length === 0) return {};
  const all = (rule: ScalarRule): boolean =>
    said.every((sample) => {
      const read = readValue(sample, rule, base);
      return read.ok && read.value !== null;
    });
  const isAmount = /price|amount|cost|pledged|goal/i.test(name);
  if (isAmount && currency !== undefined && all({ type: 'money', currency })) return { type: 'money', currency };
  if (said.every((sample) => typeof sample === 'boolean')) return { type: 'boolean' };
  if (said.every((sample) => typeof sample === 'number'))
    return { type: all({ type: 'integer' }) ? 'integer' : 'number' };
  if (said.some((sample) => typeof sample !== 'string')) return {};
  const texts = said.map(String);
  if (all({ type: 'datetime' })) return { type: 'datetime' };
  if (all({ type: 'date' })) return { type: 'date' };
  if (texts.every((text) => /^https?:\/\//i.test(text)) && all({ type: 'url' })) return { type: 'url' };
  // Where a sign is of several countries, trying the draft says what to write.
  if (texts.every((text) => /\d/.test(text)) && (all({ type: 'money' }) || all({ type: 'money', locale: 'en-US' })))
    return { type: 'money' };
  const counts = /count|quantity|stock|rating|score|total|reviews|votes|number/i.test(name);
  if (counts && all({ type: 'integer' })) return { type: 'integer' };
  if ((counts || isAmount) && all({ type: 'number' })) return { type: 'number' };
  return {};
}

/** Longest text that is taken for the key of a record where its name is not that of one, in characters. */
const maxKey = 100;

/** The most fields of which pairs are looked at. */
const paired = 8;

/** Types of values that change, so that a record would be another one tomorrow. */
const changing: ReadonlySet<unknown> = new Set(['money', 'number', 'integer', 'boolean', 'quantity', 'datetime']);

/**
 * Lists what tells records apart, the best first: fields in which no two samples are equal, those first whose names are most like that of a key; then two
 * fields together; then all that a record holds. Empty if nothing does.
 */
export function keysOf(
  fields: Readonly<Record<string, DraftField>>,
  samplesOf: (name: string) => readonly Value[],
): readonly RecordKey[] {
  const rankOf = (name: string): number => {
    const at = ranked.findIndex((each) => (each.startsWith('_') ? name.endsWith(each) : name === each));
    return at >= 0 ? at : Infinity;
  };
  const typeOf = (name: string): unknown => fields[name]?.['type'] ?? 'text';
  const able = Object.keys(fields)
    .filter((name) => keyTypes.some((each) => each === typeOf(name)) && isSaid(samplesOf(name)))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const count = Math.max(0, ...able.map((name) => samplesOf(name).length));
  const tellApart = (names: readonly string[]): boolean => {
    const rows = Array.from({ length: count }, (_, at) =>
      JSON.stringify(names.map((name) => samplesOf(name)[at] ?? null)),
    );
    return new Set(rows).size === count;
  };
  const singles = able.filter((name) => tellApart([name]));
  const isStable = (name: string): boolean =>
    !changing.has(typeOf(name)) &&
    !isCounted(samplesOf(name)) &&
    name !== 'image' &&
    samplesOf(name).every((sample) => JSON.stringify(sample).length <= maxKey);
  const named = singles.filter((name) => rankOf(name) < Infinity);
  const plain = singles.filter((name) => rankOf(name) === Infinity);
  const parts = able.filter((name) => isStable(name) && !singles.includes(name)).slice(0, paired);
  const pairs = parts.flatMap((one, at) => parts.slice(at + 1).map((other) => [one, other]));
  const all = Object.keys(fields);
  return [
    ...named,
    ...plain.filter(isStable).toSorted((a, b) => Number(isFigures(samplesOf(a))) - Number(isFigures(samplesOf(b)))),
    ...pairs.filter(tellApart),
    ...plain.filter((name) => !isStable(name)),
    ...(count > 1 && tellApart(all.filter((name) => samplesOf(name).length === count)) ? [contentKey] : []),
  ];
}

/** Whether samples count up one by one, as places in a list do: another thing stands there tomorrow. */
export function isCounted(samples: readonly Value[]): boolean {
  const numbers = samples.map((sample) =>
    Number(/\d+(?=\D*$)/.exec(JSON.stringify(sample).slice(-30))?.[0] ?? Number.NaN),
  );
  return numbers.length > 1 && numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
}

/** Whether samples are nothing but figures, which change sooner than names do. */
function isFigures(samples: readonly Value[]): boolean {
  return samples.every(
    (sample) => typeof sample === 'number' || (typeof sample === 'string' && /^[\d.,%\s+-]+$/.test(sample)),
  );
}

function isSaid(samples: readonly Value[]): boolean {
  return samples.length > 0 && samples.every((sample) => sample !== null && sample !== '');
}

/** Places of properties of a thing itself, of its offer, or of all the data of an answer; deeper ones are of its maker, its picture or its seller. */
const ownPlace = /^\$(?:\.(?:props|offers|data)(?:\[0\])?)*(?:\.\w+|\['@id'\])(?:\[0\])?$/;

/** Whether a field says which thing a page is about, and goes on to say so when the thing is renamed. */
function isIdentity(name: string, { json }: DraftField): boolean {
  if (typeof json === 'string' && !ownPlace.test(json)) return false;
  return [...keyNames, 'url', 'link'].includes(name) || /_(?:id|sku|isbn|mpn|gtin\d*)$/.test(name);
}

/** Gives the one record of a page that nothing on it identifies the page's address as its key: with its heading it would be another record tomorrow. */
export function keyedByAddress(record: DraftRecord): DraftRecord {
  const { key, fields, isWhole } = record;
  const isIdentified = typeof key === 'string' && isIdentity(key, fields[key] ?? {});
  if (!isWhole || isIdentified) return record;
  const name = Object.hasOwn(fields, 'url') ? 'page_url' : 'url';
  return { ...record, key: name, otherKeys: [], fields: { [name]: { page: 'url' }, ...fields } };
}

/** Names of fields that are made to tell things apart, and of those that do if nothing else does. */
const keyNames = ['sku', 'id', 'guid', 'gtin13', 'gtin', 'isbn', 'mpn', 'identifier', 'code', 'slug'];
const otherNames = ['url', 'link', 'name', 'headline', 'title'];
const ranked = [
  ...keyNames,
  ...keyNames.map((name) => `_${name}`),
  ...otherNames,
  ...otherNames.map((name) => `_${name}`),
];
