import { load } from 'cheerio/slim';
import { openProvider } from '../provider/declared.ts';
import { extractionOf, shownAtEach } from './pages.ts';
import type { ShownPage } from './shown-page.ts';
import { type DrillSite, type SavedPages, withoutItems } from './saved-pages.ts';
import { subjectOf } from './subject.ts';

/**
 * Makes a list of two pages: the saved one, and the same with keys and texts of its own, which leads no further. Returns nothing where the source has no list,
 * or where its next page has no address that the saved one gives.
 */
export async function listSite({
  source: { feed, ...given },
  page: saved,
}: SavedPages): Promise<DrillSite | undefined> {
  if (feed === undefined) return undefined;
  const { size: _size, ...rest } = feed;
  const source = { ...withoutItems(given), feed: rest };
  const { list } = openProvider(source);
  if (list === undefined) return undefined;
  const { plan } = list.reading;
  const place = list.first(saved.url, 'first');
  const first = { ...saved, url: place.url };
  const extraction = await extractionOf(first, plan);
  const next = extraction && list.after(place, { extraction, url: first.url }, 'first');
  if (next === undefined || next.body !== undefined || next.url === first.url) return undefined;
  const [, copy] = await shownAtEach(first, plan, [first.url, next.url]);
  const last =
    copy && withoutNext(copy, plan.next?.branches.flatMap(({ place: at }) => (at.by === 'css' ? [at.css] : [])) ?? []);
  const lastRead = last && (await extractionOf(last, plan));
  if (last === undefined || lastRead === undefined) return undefined;
  // Where pages are counted, there is none behind the last one; else none may be named there.
  if (!list.isCounted && list.after(next, { extraction: lastRead, url: last.url }, 'first') !== undefined)
    return undefined;
  const pages = [first, last];
  const subjects = pages.flatMap((each) => subjectOf(each, plan) ?? []);
  return { source, targets: [saved.url], pages, subjects, kind: 'list' };
}

/** A page without the elements that name the next one. */
function withoutNext(page: ShownPage, selectors: readonly string[]): ShownPage {
  if (selectors.length === 0) return page;
  const $ = load(page.html);
  for (const css of selectors) $(css).remove();
  return { ...page, html: $.html() };
}
