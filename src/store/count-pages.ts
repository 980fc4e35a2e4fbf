import type { Store } from './store.ts';

/** Adds to the number of a target's pages whose records have objectives. To be called within a transaction. */
export function countPages({ schedule }: Store, target: number, more: number): void {
  const row = schedule.get(target);
  if (more === 0 || row?.fresh?.records === undefined) return;
  const { records } = row.fresh;
  schedule.set({ ...row, fresh: { ...row.fresh, records: { ...records, pages: Math.max(0, records.pages + more) } } });
}
