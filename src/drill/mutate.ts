import { load } from 'cheerio/slim';
import type { CauseKind } from '../view/ticket.ts';
import type { DrillField, DrillPage, Mutation, Subject } from './mutation.ts';
import { linkField } from './subject.ts';
import { values } from './values.ts';
import { walls } from './walls.ts';

/**
 * Changes a page as a mutation does, at one of the fields that a definition reads. Returns the changed page; `undefined` where the page has
 * nothing that could be changed so.
 *
 * @param random - returns a number in `[0, 1)`.
 */
export function mutate(
  subject: Subject,
  mutation: Mutation,
  random: () => number,
): { readonly page: DrillPage; readonly field: DrillField } | undefined {
  for (const field of shuffled(tellingFields(subject), random)) {
    const page = mutateAt(subject, mutation, field, random);
    if (page !== undefined) return { page, field };
  }
  return undefined;
}

/** The fields at which pages are changed: a record without its key is no record, so that others are more telling. */
export function tellingFields({ fields, key }: Subject): readonly DrillField[] {
  return fields.filter(({ field }) => !key.includes(field));
}

/** Whether a mutation is one of a field: the address of a link is no amount. */
export function mayChange(mutation: Mutation, { field }: DrillField): boolean {
  return field !== linkField || !values.includes(mutation);
}

/** The causes that name a mutation at a field rightly: what is lost with a link is what it leads to. */
export function causesOf(mutation: Mutation, field: string | undefined): readonly CauseKind[] {
  const isOther = walls.includes(mutation) && !mutation.keepsAll;
  return field === linkField && !isOther ? [...mutation.causes, 'items_cut'] : mutation.causes;
}

/**
 * Changes a page as a mutation does, at a field. Returns the changed page; `undefined` where it has nothing there that could be changed so.
 *
 * @param random - returns a number in `[0, 1)`.
 */
export function mutateAt(
  { page, items }: Subject,
  mutation: Mutation,
  field: DrillField,
  random: () => number,
): DrillPage | undefined {
  const $ = load(page.html);
  const all = items === undefined ? $.root() : $(items);
  const found = items === undefined ? $(field.css) : all.find(field.css);
  const result = mutation.apply({ $, page, items: all, found, field, random });
  if (result === false) return undefined;
  const changed = result ?? { ...page, html: $.html() };
  const isChanged = changed.html !== page.html || changed.status !== page.status || changed.url !== page.url;
  return isChanged ? changed : undefined;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
