import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { type Cause, mostSights, type RuleSight } from '../view/ticket.ts';
import type { ExplainedField } from '../view/trial.ts';
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

/** What a rule matched on two pages, and what was read there. */
interface Sight extends RuleSight {
  /** The numbers of places on the two pages from which a value was read. */
  readonly read: { readonly before: number; readonly after: number };
  /** A text on the bad page that could not be read. */
  readonly unread?: ExplainedField['lost'][number] | undefined;
}

/** What the rules of fields matched on two pages, and of the records themselves. */
function sightsOf(good: PageLook, bad: PageLook, lost: readonly LostField[]): Sight[] {
  const types = new Set([...good.items, ...bad.items].map(({ record }) => record));
  const placesOf = ({ items }: PageLook, type: string) => items.filter(({ record }) => record === type);
  return [
    ...Array.from(types, (record) => {
      const [before, after] = [placesOf(good, record).length, placesOf(bad, record).length];
      return { record, place: 'records', before, after, read: { before, after } };
    }),
    ...lost.map(({ record, field }): Sight => {
      const [before, after] = [good, bad].map((page) =>
        placesOf(page, record).flatMap(({ fields }) => fields.find(({ name }) => name === field) ?? []),
      );
      const reads = (some: readonly ExplainedField[] = []) => some.filter(({ value }) => hasValue(value)).length;
      const matches = (some: readonly ExplainedField[] = []) =>
        some.filter(({ place, value }) => place !== undefined || hasValue(value)).length;
      return {
        record,
        field,
        place: placeText(before),
        before: matches(before),
        after: matches(after),
        read: { before: reads(before), after: reads(after) },
        unread: after?.flatMap((each) => each.lost)[0],
      };
    }),
  ];
}

function placeText(fields: readonly ExplainedField[] = []): string {
  const [place] = fields.flatMap((field) => field.place ?? []);
  return place === undefined
    ? 'its place'
    : [place.text, ...(place.attr === undefined ? [] : [`@${place.attr}`])].join(' ');
}

/** What the rule of a field matched, and why that gives less than before. */
function sightText({ record, field = '', place, before, after, read, unread }: Sight): string {
  const matched = `${record}.${field}: ${place} matched on ${before}, now on ${after}`;
  const without = after - read.after;
  if (after < before || without <= 0) return matched;
  if (unread === undefined) return `${matched}, where ${without} ${without === 1 ? 'has' : 'have'} no value`;
  const { text, expected } = unread;
  return `${matched}, where ${without} could not be read: ${JSON.stringify(text.slice(0, 100))}, expected ${expected}`;
}

/** Finds why rules match less than they did: they are lost, the page is laid out anew, or what they found is gone. */
export function ruleCause(good: PageLook, bad: PageLook, lost: readonly LostField[]): Cause | undefined {
  const sights = sightsOf(good, bad, lost);
  const fewer = sights.filter(({ read }) => read.after < read.before);
  if (fewer.length === 0) return undefined;
  const names = likeness(good.names, bad.names);
  const nests = likeness(good.nests, bad.nests);
  const matchLess = fewer.filter(({ before, after }) => after < before);
  const rules = matchLess.slice(0, mostSights).map(({ read: _read, unread: _unread, ...sight }): RuleSight => sight);
  const found = rules.length === 0 ? {} : { rules };
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
      return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says: [...says, keptText(kept)], ...found };
    if (records.after > 0 || names >= alike / 2 || nests >= alike)
      return { kind: 'items_cut', says: [...says, keptText(kept)], ...found };
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
    ...named.map(sightText),
    ...(left === 0 ? [] : [`${left} more ${left === 1 ? 'field has' : 'fields have'} fewer values than before`]),
    layout,
    keptText(kept),
  ];
  if (isRemoved) return { kind: 'field_removed', says, ...found };
  return { kind: names >= alike ? 'rule_lost' : 'layout_moved', says, ...found };
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
