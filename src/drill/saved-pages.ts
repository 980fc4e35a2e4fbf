import type { Source } from '../definition/source.ts';
import type { Subject } from './mutation.ts';
import type { ShownPage } from './shown-page.ts';

/** A small site that is made of saved pages, and how it is rehearsed. */
export interface DrillSite {
  readonly source: Source;
  /** The addresses that are tracked. */
  readonly targets: readonly string[];
  readonly pages: readonly ShownPage[];
  /** The pages that change together, and what of them. */
  readonly subjects: readonly Subject[];
  readonly kind: 'pages' | 'crawl' | 'list' | 'items';
  /** Set where each scrape asks for all that it can, and not only for what has changed. */
  readonly isFull?: true;
}

/** What a site is made of: a definition, the saved page that changes, and other saved pages of the source. */
export interface SavedPages {
  readonly source: Source;
  readonly page: ShownPage;
  readonly others: readonly ShownPage[];
}

/** A source that asks for no pages of items. */
export function withoutItems(source: Source): Source {
  const records = Object.entries(source.records).map(([type, { page: _page, ...record }]) => [type, record] as const);
  return { ...source, records: Object.fromEntries(records) };
}
