import { extract } from '../extract/extract.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { ShownPage } from './shown-page.ts';

/** A page of one record is shown at so many addresses: shares are judged from eight records on. */
const shownAt = 12;

/** What the records of a page are, by the plan of its source. */
export async function draftsOn(
  { html, url, contentType }: ShownPage,
  plan: ExtractPlan,
): Promise<readonly RecordDraft[]> {
  const body = new Uint8Array(Buffer.from(html, 'utf8')).buffer;
  const outcome = await extract({ body, url, contentType: contentType ?? 'text/html; charset=utf-8', plan });
  return outcome.ok ? outcome.extraction.drafts : [];
}

/**
 * Returns the pages that a site of such pages has: a page of many records alone, one of a single record at several addresses, each with a key and texts of
 * its own, as there are many targets or pages of a crawl like it. Where its key cannot be made another one, the page is alone as well.
 */
export async function sitePages(page: ShownPage, plan: ExtractPlan): Promise<readonly ShownPage[]> {
  const [only, second] = await draftsOn(page, plan);
  if (only === undefined || second !== undefined) return [page];
  const keys = new Set(plan.records.find(({ type }) => type === only.type)?.key);
  const texts = Object.entries(only.fields).flatMap(([name, value]) =>
    typeof value === 'string' && (keys.has(name) || value.length > 3) ? [value] : [],
  );
  const pages = Array.from({ length: shownAt }, (_, number) => (number === 0 ? page : copyOf(page, texts, number)));
  const known = new Set<string>();
  for (const each of pages) for (const { key } of await draftsOn(each, plan)) known.add(key);
  return known.size === shownAt ? pages : [page];
}

function copyOf(page: ShownPage, texts: readonly string[], number: number): ShownPage {
  const url = new URL(page.url);
  url.searchParams.append('copy', String(number));
  const html = texts.reduce((all, text) => all.replaceAll(text, `${text}${number}`), page.html);
  return { ...page, url: url.href, html };
}
