import { openProvider } from '../provider/declared.ts';
import { crawledSite } from './crawled-site.ts';
import { itemSite } from './item-site.ts';
import { listSite } from './list-site.ts';
import { addressesLike, draftsOn, shownAtEach } from './pages.ts';
import { rehearsed } from './rehearsal.ts';
import { type DrillSite, type SavedPages, withoutItems } from './saved-pages.ts';
import { subjectOf } from './subject.ts';

/**
 * Makes a site of saved pages: a crawl, a list of two pages, or a list with the pages of its items, where the source has such and the saved pages are
 * enough; else pages of their own. A page that is not saved is shown as a saved one of its kind, with keys and texts of its own, or is not linked to.
 * Returns nothing for a page that leads to others where none of these is saved.
 */
export async function siteOf(given: SavedPages): Promise<DrillSite | undefined> {
  const source = rehearsed(given.source);
  const saved = { ...given, source };
  if (source.crawl !== undefined) return crawledSite(saved, source.crawl);
  return (await itemSite(saved)) ?? (await listSite(saved)) ?? singlePages(saved);
}

/** Pages that are targets: one of many records alone, one of a single record at several addresses. */
async function singlePages({ source: { feed: _feed, ...rest }, page }: SavedPages): Promise<DrillSite> {
  const source = withoutItems(rest);
  const { plan } = openProvider(source).page;
  const isOne = (await draftsOn(page, plan)).length === 1;
  const pages = isOne ? await shownAtEach(page, plan, addressesLike(page)) : [page];
  const subjects = pages.flatMap((each) => subjectOf(each, plan) ?? []);
  return { source, targets: pages.map(({ url }) => url), pages, subjects, kind: 'pages' };
}
