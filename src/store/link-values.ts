import type { Link, LinkField } from '../definition/shared-type.ts';
import type { Value } from '../extract/value/value.ts';
import type { RecordView } from '../view/record.ts';
import { digestOf } from './tables/digest.ts';

/** The values of a record's fields, by name. */
export type Values = Readonly<Record<string, Pick<RecordView['fields'][string], 'value'>>>;

/** The values of a record in the fields of one link rule, in the form in which they are compared. */
export interface LinkValue {
  /** Equal for two records if and only if these values are. */
  readonly digest: string;
  /** What each field says, cut to `shownLength` characters. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The number of characters of a link value's field that are shown. */
const shownLength = 200;

/** Returns the link values of a record: one for each link rule of which the record has all fields. */
export function linkValues(link: Link, values: Values): LinkValue[] {
  return link.flatMap((way) => {
    const texts = way.map(({ field, as }) => {
      const value = Object.hasOwn(values, field) ? values[field]?.value : undefined;
      return [field, value === undefined ? '' : normalised(value, as)] as const;
    });
    if (texts.some(([, text]) => text === '')) return [];
    const shown = texts.map(([field, text]) => [field, text.slice(0, shownLength).toWellFormed()] as const);
    return [{ digest: digestOf(JSON.stringify([way, texts])), fields: Object.fromEntries(shown) }];
  });
}

/** Accents and other marks that stand on letters of Latin, Greek and Cyrillic script. */
const diacritics = /[\u0300-\u036f]/gu;

/**
 * Writes a value so that values that are taken for the same are equal: `exact` as it is; `words` without case, white space, punctuation and
 * diacritics; `digits` with the digits 0 to 9 alone. Nothing for a blank text, and for lists and objects.
 */
export function normalised(value: Value, as: LinkField['as']): string {
  if (typeof value === 'object') return '';
  const text = String(value);
  switch (as) {
    case 'exact':
      return text.trim() === '' ? '' : text;
    case 'words':
      // Small, capital and small again: then ß, ẞ and SS are the same, and so are both forms of a small sigma.
      return text
        .normalize('NFKD')
        .toLowerCase()
        .toUpperCase()
        .normalize('NFKD')
        .replaceAll(diacritics, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
        .trim();
    case 'digits':
      return text.normalize('NFKC').replaceAll(/[^0-9]/g, '');
    default:
      return as satisfies never;
  }
}
