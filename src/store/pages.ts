import type { PageRow } from './tables/pages.ts';
import type { Store } from './store.ts';

/**
 * Stores a page of a list or a crawl with its records, or forgets it where it has none. To be called within a transaction, after its
 * records were stored.
 */
export function keepPage(store: Store, target: number, page: PageRow): void {
  if (page.records.length > 0) count(store, target, store.pages.put(target, page) ? 1 : 0);
  else count(store, target, store.pages.remove(target, page.url) ? -1 : 0);
}

/** Counts the pages of a target whose records have objectives. */
function count({ schedule }: Store, target: number, more: number): void {
  const row = schedule.get(target);
  if (more === 0 || row?.fresh?.records === undefined) return;
  const { records } = row.fresh;
  schedule.set({ ...row, fresh: { ...row.fresh, records: { ...records, pages: Math.max(0, records.pages + more) } } });
}
