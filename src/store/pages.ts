import { defined } from '../defined.ts';
import { countPages } from './record-ages.ts';
import { verifyRecord } from './observe.ts';
import type { Store } from './store.ts';
import type { PageRow } from './tables/pages.ts';

/**
 * Stores a page of a list or a crawl with its records, or forgets it where it has none. To be called within a transaction, after its
 * records were stored.
 */
export function keepPage(store: Store, target: number, { endsOpen, ...read }: PageRow): void {
  const page = { ...read, ...defined({ endsOpen: endsOpen ?? store.pages.get(target, read.url)?.endsOpen }) };
  if (page.records.length > 0) countPages(store, target, store.pages.put(target, page) ? 1 : 0);
  else countPages(store, target, store.pages.remove(target, page.url) ? -1 : 0);
}

/** The records that an unchanged page verified, and the names of their fields. */
export interface VerifiedPage {
  readonly records: readonly number[];
  readonly fields: ReadonlySet<string>;
}

/**
 * Verifies what was read from a page, as the site says that the page is unchanged. To be called within a transaction.
 *
 * @param scrape - the number of the scrape that asked, which has then seen all records of the page; 0 for none.
 */
export function verifyPage(
  store: Store,
  {
    target,
    scrape,
    url,
    at,
  }: { readonly target: number; readonly scrape: number; readonly url: string; readonly at: number },
): VerifiedPage {
  const page = store.pages.get(target, url);
  if (page === undefined) return { records: [], fields: new Set() };
  const seenAt = new Set([page.observedAt]);
  const records: number[] = [];
  const fields = new Set<string>();
  for (const number of page.records) {
    const record = store.records.byNumber(number);
    const verified = record && verifyRecord(store, record, seenAt, { target, scrape, at });
    if (verified !== undefined) records.push(number);
    else if (record !== undefined && scrape > 0) store.records.see(number, { target, scrape });
    for (const name of verified ?? []) fields.add(name);
  }
  store.pages.put(target, { ...page, observedAt: at });
  return { records, fields };
}

/** Notes that a scrape has seen the records of a page that it did not ask for. To be called within a transaction. */
export function seePage(store: Store, target: number, scrape: number, url: string): void {
  for (const record of store.pages.get(target, url)?.records ?? [])
    if (store.records.byNumber(record) !== undefined) store.records.see(record, { target, scrape });
}

/**
 * Whether a page of a target has closed its elements whenever it was read, so that where it ends within one, it was cut off. Unknown, and so not, for a page
 * that was not read yet, and once a person has accepted what the target gives.
 */
export function hasClosed({ runs, pages }: Pick<Store, 'runs' | 'pages'>, target: number, url: string): boolean {
  const reading = runs.readings.get(target);
  if (reading === undefined) return false;
  const page = pages.get(target, url);
  return page === undefined ? reading.endsOpen === false : page.endsOpen === undefined;
}
