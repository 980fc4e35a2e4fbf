import { load } from 'cheerio/slim';
import type { DrillField, DrillPage, Mutation, Subject } from './mutation.ts';

/**
 * Changes a page as a mutation does, at one of the fields that a definition reads. Returns the changed page; `undefined` where the page has
 * nothing that could be changed so.
 *
 * @param random - returns a number in `[0, 1)`.
 */
export function mutate(
  { page, items, fields, key }: Subject,
  mutation: Mutation,
  random: () => number,
): { readonly page: DrillPage; readonly field: DrillField } | undefined {
  // A record without its key is no record: other fields are more telling.
  const chosen = shuffled(
    fields.filter(({ field }) => !key.includes(field)),
    random,
  );
  for (const field of chosen) {
    const $ = load(page.html);
    const all = items === undefined ? $.root() : $(items);
    const found = items === undefined ? $(field.css) : all.find(field.css);
    const result = mutation.apply({ $, page, items: all, found, field, random });
    if (result === false) continue;
    const changed = result ?? { ...page, html: $.html() };
    if (changed.html !== page.html || changed.status !== page.status || changed.url !== page.url)
      return { page: changed, field };
  }
  return undefined;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
