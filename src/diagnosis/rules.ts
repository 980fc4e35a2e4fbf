import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { type Cause, mostSights, type RuleSight } from '../view/ticket.ts';
import { likeness, type PageLook } from './page.ts';
import { shareKept } from './shown-text.ts';

/** From this share of element names that two pages have in common on, they are laid out alike. */
const alike = 0.6;

/** The share of values that must still be on a page for a rule to be what was lost. */
export const stillThere = 0.5;

/** Fields that are named in sentences; `mostSays` leaves room for some more sentences. */
const mostNamed = 15;

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
  const rules = fewer.slice(0, mostSights);
  const [records] = fewer.filter(({ field }) => field === undefined);
  const layout = `${percent(names)} of the names of its elements are those of the last good page`;
  if (records !== undefined) {
    const missing = missingOf(good, bad, records.record);
    const kept = shareKept(
      missing.flatMap(({ fields }) => Object.values(fields)),
      good.shown,
      bad.shown,
      // Another text of the page, which repeated a value, may be gone.
      'is left out',
    );
    const says = [`${records.record}: ${records.after} places, where there were ${records.before}`, layout];
    if (kept >= stillThere)
      return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says: [...says, keptText(kept)], rules };
    if (records.after > 0 || names >= alike / 2 || nests >= alike)
      return { kind: 'items_cut', says: [...says, keptText(kept)], rules };
    return undefined;
  }
  const fields = fewer.flatMap(({ record, field }) => (field === undefined ? [] : [{ record, field }]));
  const shares = fields.map(({ record, field }) => keptOfField(good, bad, record, field));
  // A rule that counts elements loses its field as well where another one is removed.
  const gone = shares.filter((share) => share < stillThere).length;
  const isRemoved = gone === shares.length || (names >= alike && 2 * gone >= shares.length);
  const kept = isRemoved ? Math.min(...shares) : Math.max(...shares);
  const named = fewer.slice(0, mostNamed);
  const left = fewer.length - named.length;
  const says = [
    ...named.map(
      ({ record, field, place, before, after }) =>
        `${record}.${field ?? ''}: ${place} matched on ${before}, now on ${after}`,
    ),
    ...(left === 0 ? [] : [`${left} more ${left === 1 ? 'field matches' : 'fields match'} on less than before`]),
    layout,
    keptText(kept),
  ];
  if (isRemoved) return { kind: 'field_removed', says, rules };
  return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says, rules };
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
  return shareKept(values, good.shown, bad.shown);
}

function missingOf(good: PageLook, bad: PageLook, record: string): RecordDraft[] {
  const now = new Set(bad.drafts.filter(({ type }) => type === record).map(({ key }) => key));
  return good.drafts.filter(({ type, key }) => type === record && !now.has(key));
}

function keptText(kept: number): string {
  return `${percent(kept)} of the values that are not read any more are still on the page`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
