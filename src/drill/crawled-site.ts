import type { Crawl } from '../definition/crawl.ts';
import { canonicalOptions, canonicalUrl } from '../frontier/canonical.ts';
import { findPlaces, type LinkRules, linkRules } from '../frontier/links.ts';
import { openProvider } from '../provider/declared.ts';
import { addressesLike, draftsOn, extractionOf, shownAtEach } from './pages.ts';
import type { ShownPage } from './shown-page.ts';
import { type DrillSite, type SavedPages, withoutItems } from './saved-pages.ts';
import { linkSubject, subjectOf } from './subject.ts';

/** Pages to which a saved page leads, at most. */
const mostLinks = 24;

/**
 * Makes a site that is crawled. Where the saved page has records, a start of ours leads to it and to others like it; else it is the start, and what it leads to
 * is shown as the first saved page that has records. Returns nothing where none is saved, or it leads to no other page.
 */
export async function crawledSite(saved: SavedPages, crawl: Crawl): Promise<DrillSite | undefined> {
  const source = withoutItems(saved.source);
  const { page: reading, crawl: readings } = openProvider(source);
  const { plan } = reading;
  const rules = linkRules(crawl, [saved.page.url]);
  const hasRecords = async (page: ShownPage): Promise<boolean> =>
    rules.kindOf(page.url) === 'detail' && (await draftsOn(page, plan)).length > 0;
  const isDetail = await hasRecords(saved.page);
  const start = isDetail ? new URL('/?drill', saved.page.url).href : saved.page.url;
  const detail = isDetail ? saved.page : await firstOf(saved.others, hasRecords);
  if (detail === undefined || readings === undefined) return undefined;
  const urls = isDetail
    ? addressesLike(detail)
    : linksOf((await extractionOf(saved.page, readings.listing.plan))?.links ?? [], rules, {
        ...crawl,
        start: [start],
      });
  if (urls.length === 0) return undefined;
  const shown = await shownAtEach(detail, plan, urls);
  const details = shown.map((page) => ({ ...page, url: canonicalUrl(page.url, canonicalOptions(crawl)) ?? page.url }));
  const first = isDetail ? startPage(start, details) : saved.page;
  const { deny: _deny, links, ...rest } = crawl;
  const narrowed: Crawl = {
    ...rest,
    start: [start],
    detail: details.map(({ url }) => exactly(url)),
    follow: [exactly(start)],
    // A start of ours has no elements of the site.
    ...(!isDetail && links !== undefined && { links }),
  };
  const subjects = isDetail ? details.flatMap((page) => subjectOf(page, plan) ?? []) : [linkSubject(first, 'body')];
  const pages = [first, ...details];
  return { source: { ...source, crawl: narrowed }, targets: [start], pages, subjects, kind: 'crawl' };
}

async function firstOf<T>(list: readonly T[], isWanted: (each: T) => Promise<boolean>): Promise<T | undefined> {
  for (const each of list) if (await isWanted(each)) return each;
  return undefined;
}

/** The pages to which a start leads by the rules of a crawl: those of records, or else those that lead there. */
function linksOf(
  links: readonly string[],
  rules: LinkRules,
  { start = [], maxDepth }: Pick<Crawl, 'start' | 'maxDepth'>,
): readonly string[] {
  const { places } = findPlaces(rules, links, { depth: 0, maxDepth });
  const details = places.filter(({ kind }) => kind === 'detail');
  return (details.length > 0 ? details : places)
    .flatMap(({ url }) => (start.includes(url) ? [] : [url]))
    .slice(0, mostLinks);
}

function startPage(url: string, pages: readonly ShownPage[]): ShownPage {
  const items = pages.map(
    (page) => `<li><a href="${page.url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">a page</a></li>`,
  );
  return {
    url,
    status: 200,
    html: `<!doctype html><html><head><title>Start</title></head><body><ul>${items.join('')}</ul></body></html>`,
  };
}

/** The pattern of one address. */
function exactly(url: string): string {
  return `^${url.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
}
