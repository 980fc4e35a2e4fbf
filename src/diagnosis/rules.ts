import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import type { Cause, RuleSight } from '../view/ticket.ts';
import { likeness, type PageLook } from './page.ts';

/** From this share of element names that two pages have in common on, they are laid out alike. */
const alike = 0.6;

/** The share of values that must still be on a page for a rule to be what was lost. */
export const stillThere = 0.5;

/** A field that a symptom is about. */
export interface LostField {
  readonly record: string;
  readonly field: string;
}

/** What the rules of fields matched on two pages, and of the records themselves. */
export function sightsOf(good: PageLook, bad: PageLook, lost: readonly LostField[]): RuleSight[] {
  const types = new Set([...good.items, ...bad.items].map(({ record }) => record));
  const counted = (page: PageLook, record: string, field?: string) =>
    page.items.filter(
      (item) =>
        item.record === record &&
        (field === undefined || item.fields.some(({ name, value }) => name === field && hasValue(value))),
    ).length;
  const placeOf = (record: string, field: string): string => {
    for (const { record: type, fields } of good.items)
      if (type === record)
        for (const { name, place } of fields)
          if (name === field && place !== undefined)
            return [place.text, ...(place.attr === undefined ? [] : [`@${place.attr}`])].join(' ');
    return 'its place';
  };
  return [
    ...Array.from(types, (record) => ({
      record,
      place: 'records',
      before: counted(good, record),
      after: counted(bad, record),
    })),
    ...lost.map(({ record, field }) => ({
      record,
      field,
      place: placeOf(record, field),
      before: counted(good, record, field),
      after: counted(bad, record, field),
    })),
  ];
}

/** Finds why rules match less than they did: they are lost, the page is laid out anew, or what they found is gone. */
export function ruleCause(good: PageLook, bad: PageLook, lost: readonly LostField[]): Cause | undefined {
  const sights = sightsOf(good, bad, lost);
  const fewer = sights.filter(({ before, after }) => after < before);
  if (fewer.length === 0) return undefined;
  const names = likeness(good.names, bad.names);
  const nests = likeness(good.nests, bad.nests);
  const [records] = fewer.filter(({ field }) => field === undefined);
  const layout = `${percent(names)} of the names of its elements are those of the last good page`;
  if (records !== undefined) {
    const missing = missingOf(good, bad, records.record);
    const kept = shareKept(
      missing.flatMap(({ fields }) => Object.values(fields)),
      good,
      bad,
    );
    const says = [`${records.record}: ${records.after} places, where there were ${records.before}`, layout];
    if (kept >= stillThere)
      return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says: [...says, keptText(kept)], rules: fewer };
    if (records.after > 0 || names >= alike / 2 || nests >= alike)
      return { kind: 'items_cut', says: [...says, keptText(kept)], rules: fewer };
    return undefined;
  }
  const fields = fewer.flatMap(({ record, field }) => (field === undefined ? [] : [{ record, field }]));
  const shares = fields.map(({ record, field }) => keptOfField(good, bad, record, field));
  // A rule that counts elements loses its field as well where another one is removed.
  const gone = shares.filter((share) => share < stillThere).length;
  const isRemoved = gone === shares.length || (names >= alike && 2 * gone >= shares.length);
  const kept = isRemoved ? Math.min(...shares) : Math.max(...shares);
  const says = [
    ...fewer.map(
      ({ record, field, place, before, after }) =>
        `${record}.${field ?? ''}: ${place} matched on ${before}, now on ${after}`,
    ),
    layout,
    keptText(kept),
  ];
  if (isRemoved) return { kind: 'field_removed', says, rules: fewer };
  return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says, rules: fewer };
}

function hasValue(value: Value | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The share of the values of a field, of records that lack it now, that the page still shows. */
function keptOfField(good: PageLook, bad: PageLook, record: string, field: string): number {
  const now = new Map(bad.drafts.filter(({ type }) => type === record).map((draft) => [draft.key, draft]));
  const values = good.drafts.flatMap(({ type, key, fields }): Value[] => {
    const value = fields[field];
    if (type !== record || value === undefined || value === null) return [];
    return hasValue(now.get(key)?.fields[field]) ? [] : [value];
  });
  return shareKept(values, good, bad);
}

function missingOf(good: PageLook, bad: PageLook, record: string): RecordDraft[] {
  const now = new Set(bad.drafts.filter(({ type }) => type === record).map(({ key }) => key));
  return good.drafts.filter(({ type, key }) => type === record && !now.has(key));
}

/** The share of values that a page still shows, of those that the good one showed; what both show many times says nothing. */
export function shareKept(values: readonly Value[], good: PageLook, bad: PageLook): number {
  const texts = values.flatMap((value) => textsOf(value)).filter((text) => text.length > 0);
  const [before, after] = [haystackOf(good), haystackOf(bad)];
  const shown = texts.filter((text) => before.includes(text));
  if (shown.length === 0) return 0;
  // As often as before: a short number may stand elsewhere as well.
  const counts = new Map<string, number>();
  for (const text of shown) counts.set(text, (counts.get(text) ?? 0) + 1);
  let kept = 0;
  for (const [text, times] of counts) {
    const [had, has] = [occurrences(before, text), occurrences(after, text)];
    if (has >= Math.min(had, times) && has > had - times) kept += times;
  }
  return kept / shown.length;
}

/** The text of a page and of its attributes, with numbers as plain digits. */
function haystackOf({ source, apart }: PageLook): string {
  const attributes = Array.from(
    source.matchAll(/\b(?:content|data-[\w-]{1,40}|value|href|src|alt|title)\s*=\s*"([^"]{1,500})"/gi),
    ([, value]) => value,
  );
  return ` ${plain(`${apart} ${attributes.join(' ')}`)} `;
}

/** How a value may stand on a page. */
function textsOf(value: Value): string[] {
  if (typeof value === 'string') return [plain(value)];
  if (typeof value === 'number') return [` ${plain(String(value))} `];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each: Value) => textsOf(each));
  const { amount } = value as Readonly<Record<string, Value | undefined>>;
  return typeof amount === 'string' || typeof amount === 'number' ? [` ${plain(String(amount))} `] : [];
}

/** A text in small letters with single spaces, where numbers are digits alone and end in no zeros behind a point. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\d[\d.,]*/g, (number) => ` ${digitsOf(number)} `)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function digitsOf(number: string): string {
  const [, whole = number, rest = ''] = /^(.*?)(?:[.,](\d{1,2}))?[.,]?$/.exec(number) ?? [];
  const decimals = rest.replace(/0+$/, '');
  return `${whole.replaceAll(/[.,]/g, '')}${decimals === '' ? '' : `.${decimals}`}`;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + Math.max(1, part.trimEnd().length)))
    count += 1;
  return count;
}

function keptText(kept: number): string {
  return `${percent(kept)} of the values that are not read any more are still on the page`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
