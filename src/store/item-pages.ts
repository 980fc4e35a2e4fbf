import type { Validators } from '../fetch/page.ts';
import type { RecordView } from '../view/record.ts';
import { defined } from '../defined.ts';
import { countPages, moveAges } from './record-ages.ts';
import type { Store } from './store.ts';
import type { ItemPageName } from './tables/item-pages.ts';

/** How a scrape requests the item pages of a list. */
export interface ItemAsking {
  /** When the scrape began; missing where no scrape asks. */
  readonly startedAt?: number;
  /** Version of the definition by which the list was read. */
  readonly version: string;
  /** Whether pages are asked for whose items are as they were. */
  readonly isFull: boolean;
}

/**
 * Stores the link from a record to its own page. Queues the page to be requested if the record is new or has changed, or if another version
 * of the definition read the page. To be called within a transaction.
 *
 * @param record - as a list has just shown it, perhaps without a page.
 * @param before - as it was; `undefined` for a new one.
 */
export function leadToPage(
  store: Store,
  target: number,
  {
    record,
    before,
    isSame,
  }: { readonly record: RecordView; readonly before: RecordView | undefined; readonly isSame: boolean },
  { version, isFull }: ItemAsking,
): void {
  const { type, page: { url, readAt } = {} } = record;
  const old = before?.page?.url;
  if (old !== undefined && old !== url) leaveItemPage(store, target, { type, url: old }, record.record);
  if (url === undefined) return;
  const page = { url, type };
  const row = store.itemPages.get(target, page);
  store.itemPages.link(target, page, record.record);
  // Another target may have read it.
  const isKnown = row === undefined ? readAt !== undefined : row.version === version;
  if (row?.ask?.at === 0 || (row !== undefined && isKnown && isSame && !isFull)) return;
  const isWanted = !isSame || isFull || !isKnown;
  const ask = isWanted ? { at: 0, order: Number.MAX_SAFE_INTEGER - record.sequence } : row?.ask;
  const isNew = store.itemPages.put(target, { ...page, version, ...row, ...defined({ ask }) });
  countPages(store, target, isNew ? 1 : 0);
}

/** Removes the link from a record to its own page. To be called within a transaction. */
export function leaveItemPage(store: Store, target: number, page: ItemPageName, record: number): void {
  if (store.itemPages.unlink(target, page, record)) countPages(store, target, -1);
}

/** The largest number of records read to tell whether all records of a page are missing. */
const lookedAt = 100;

/** Takes a page out of the queue of requests if all its records are missing. To be called within a transaction, after a record was found missing. */
export function restItemPage(store: Store, target: number, { type, page }: RecordView): void {
  const name = page && { type, url: page.url };
  const row = name && store.itemPages.get(target, name);
  if (name === undefined || row?.ask === undefined) return;
  const records = store.itemPages.recordsOf(target, name, lookedAt);
  if (records.some((record) => store.records.byNumber(record)?.absent === undefined)) return;
  const { ask: _, ...rest } = row;
  store.itemPages.put(target, rest);
}

/** The result of a request for an item page. */
export interface ItemPageOps extends ItemPageName {
  /** Version of the definition by which it was asked for. */
  readonly version: string;
  readonly result:
    | { readonly kind: 'read'; readonly validators?: Validators | undefined }
    /** `retryAt` is missing where it is asked for again only once an item that leads there has changed. */
    | { readonly kind: 'failed'; readonly retryAt?: number | undefined };
}

/** Stores the result of a request for an item page. To be called within a transaction. */
export function settleItemPage(
  store: Store,
  target: number,
  observedAt: number,
  { url, type, version, result }: ItemPageOps,
): void {
  const row = store.itemPages.get(target, { url, type });
  // The last record that led there may have been removed meanwhile.
  if (row === undefined) return;
  if (result.kind === 'read')
    return void store.itemPages.put(target, { url, type, version, observedAt, ...result.validators });
  const { ask, ...rest } = row;
  const again = result.retryAt === undefined ? undefined : { at: result.retryAt, order: ask?.order ?? 0 };
  store.itemPages.put(target, { ...rest, version, ...defined({ ask: again }), failures: (row.failures ?? 0) + 1 });
}

/**
 * Verifies the fields of a record that its own page said when it was last read, as the site says that the page is unchanged. Returns whether
 * there is such a record. To be called within a transaction.
 */
export function verifyOwnPage(
  store: Store,
  number: number,
  { observedAt: at }: { readonly observedAt: number },
): boolean {
  const record = store.records.byNumber(number);
  const readAt = record?.page?.readAt;
  if (record?.page === undefined || readAt === undefined) return false;
  const fields = Object.fromEntries(
    Object.entries(record.fields).map(([name, cell]) => [
      name,
      cell.verifiedAt === readAt ? { ...cell, verifiedAt: at } : cell,
    ]),
  );
  const verified = { ...record, fields, page: { ...record.page, readAt: at } };
  store.records.putPage(verified, false);
  moveAges(store, verified, record, verified);
  return true;
}
