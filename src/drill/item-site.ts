import { openProvider } from '../provider/declared.ts';
import { draftsOn, shownAtEach } from './pages.ts';
import type { ShownPage } from './shown-page.ts';
import type { DrillSite, SavedPages } from './saved-pages.ts';
import { subjectOf } from './subject.ts';

/**
 * Makes a list with the pages that its items lead to: each is shown as the saved page of an item, with texts of its own. Returns nothing where the items of the
 * source lead to no pages, or where a list or the page of an item is not saved.
 */
export async function itemSite({
  source: { feed: _feed, ...source },
  page,
  others,
}: SavedPages): Promise<DrillSite | undefined> {
  const { page: reading, items } = openProvider(source);
  const [type] = items?.types ?? [];
  const plan = type === undefined ? undefined : items?.reading(type)?.plan;
  if (plan === undefined) return undefined;
  const leadsTo = async (each: ShownPage): Promise<readonly string[]> => [
    ...new Set(
      (await draftsOn(each, reading.plan)).flatMap((draft) => (draft.type === type ? (draft.page ?? []) : [])),
    ),
  ];
  let list: ShownPage | undefined;
  let item: ShownPage | undefined;
  for (const each of [page, ...others]) {
    if ((await leadsTo(each)).length > 0) list ??= each;
    else if ((await draftsOn(each, plan)).length > 0) item ??= each;
  }
  if (list === undefined || item === undefined) return undefined;
  const shown = await shownAtEach(item, plan, await leadsTo(list));
  const subjects =
    page === list
      ? [subjectOf(list, reading.plan) ?? []].flat()
      : page === item
        ? shown.flatMap((each) => subjectOf(each, plan) ?? [])
        : [];
  return { source, targets: [list.url], pages: [list, ...shown], subjects, kind: 'items', isFull: true };
}
