import type { Extraction, RecordDraft } from '../extract/draft.ts';
import { extract } from '../extract/extract.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { ShownPage } from './shown-page.ts';

/** A page of one record is shown at so many addresses: shares are judged from eight records on. */
const shownAt = 12;

/** What a plan reads on a page; nothing where it cannot be read. */
export async function extractionOf(
  { html, url, contentType }: ShownPage,
  plan: ExtractPlan,
): Promise<Extraction | undefined> {
  const body = new Uint8Array(Buffer.from(html, 'utf8')).buffer;
  const outcome = await extract({ body, url, contentType: contentType ?? 'text/html; charset=utf-8', plan });
  return outcome.ok ? outcome.extraction : undefined;
}

/** What the records of a page are, by the plan of its source. */
export async function draftsOn(page: ShownPage, plan: ExtractPlan): Promise<readonly RecordDraft[]> {
  return (await extractionOf(page, plan))?.drafts ?? [];
}

/** Returns the addresses at which a page of one record is shown: its own, and others like it. */
export function addressesLike(page: ShownPage): readonly string[] {
  return Array.from({ length: shownAt }, (_, number) => {
    const url = new URL(page.url);
    if (number > 0) url.searchParams.append('copy', String(number));
    return url.href;
  });
}

/**
 * Shows a page at each of several addresses, with keys and texts of its own at each but its own, as there are many pages of a site like it. Returns it
 * alone where its keys cannot be made other ones.
 */
export async function shownAtEach(
  page: ShownPage,
  plan: ExtractPlan,
  urls: readonly string[],
): Promise<readonly ShownPage[]> {
  const drafts = await draftsOn(page, plan);
  const texts = new Set(
    drafts.flatMap(({ type, fields }) => {
      const keys = new Set(plan.records.find((record) => record.type === type)?.key);
      return Object.entries(fields).flatMap(([name, value]) =>
        typeof value === 'string' && (keys.has(name) || value.length > 3) ? [value] : [],
      );
    }),
  );
  // The page of an item has no key of its own.
  const isKeyless = plan.records.every(({ key }) => key.length === 0);
  for (const zeros of ['', '000']) {
    const pages = urls.map((url, number) =>
      url === page.url ? page : copyOf(page, url, [...texts], `${zeros}${number}`),
    );
    if (isKeyless) return pages;
    const known = new Set<string>();
    for (const each of pages) for (const { type, key } of await draftsOn(each, plan)) known.add(`${type} ${key}`);
    if (known.size === urls.length * drafts.length) return pages;
  }
  return [page];
}

/** A page with other texts; each part of it is changed once, though one text may stand in another. */
function copyOf(page: ShownPage, url: string, texts: readonly string[], ending: string): ShownPage {
  const escaped = texts
    .toSorted((one, other) => other.length - one.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  if (escaped.length === 0) return { ...page, url };
  return { ...page, url, html: page.html.replaceAll(new RegExp(escaped.join('|'), 'g'), (text) => `${text}${ending}`) };
}
