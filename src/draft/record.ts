import type { Value } from '../extract/value/value.ts';
import { keyTypes, readValue, type ScalarRule } from '../extract/value/all.ts';

/** One field as a definition has it. */
export type DraftField = Readonly<Record<string, Value>>;

/** One type of record as a definition has it, and why it was taken for one. */
export interface DraftRecord {
  /** The name of the record's type, such as `product`. */
  readonly type: string;
  readonly key: string;
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

/** Names of fields that are made to tell things apart, and of those that do if nothing else does. */
const keyNames = ['sku', 'id', 'guid', 'gtin13', 'gtin', 'isbn', 'mpn', 'identifier', 'code', 'slug'];
const otherNames = ['url', 'link', 'name', 'headline', 'title'];

/** Chooses the key of a record: of the fields in which no two samples are equal, the one whose name is most like that of a key; undefined if there is none. */
export function keyOf(
  fields: Readonly<Record<string, DraftField>>,
  samplesOf: (name: string) => readonly Value[],
): string | undefined {
  const able = Object.keys(fields).filter((name) => {
    const samples = samplesOf(name);
    const type = fields[name]?.['type'] ?? 'text';
    const isSaid = samples.every((sample) => sample !== null && sample !== '');
    return (
      keyTypes.some((each) => each === type) &&
      samples.length > 0 &&
      isSaid &&
      new Set(samples.map(String)).size === samples.length
    );
  });
  const ranked = [
    ...keyNames,
    ...keyNames.map((name) => `_${name}`),
    ...otherNames,
    ...otherNames.map((name) => `_${name}`),
  ];
  const rank = (name: string): number => {
    const at = ranked.findIndex((each) => (each.startsWith('_') ? name.endsWith(each) : name === each));
    return at >= 0 ? at : Infinity;
  };
  const [best] = able.toSorted((a, b) => rank(a) - rank(b));
  return best;
}
