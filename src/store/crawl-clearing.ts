import type { Store } from './store.ts';

/** Rows per transaction, so that commits wait a few milliseconds at most. */
const batch = 1_000;

/**
 * Removes what crawls of a target left behind that are over: places that they did not visit, and addresses that later crawls
 * have not met. Nothing depends on it but the size of the store. Returns how many rows that were.
 */
export async function sweepCrawls(store: Store, target: number): Promise<number> {
  const row = store.crawls.newest(target);
  if (row === undefined) return 0;
  const isOver = row.endReason !== undefined;
  const places = await removePlaces(store, target, isOver ? row.crawl + 1 : row.crawl);
  return places + (await removeMarks(store, target, row.crawl));
}

async function removePlaces(store: Store, target: number, before: number): Promise<number> {
  let removed = 0;
  let some: number;
  do {
    some = await store.write(() => store.frontier.removePlaces(target, before, batch), { evenWhenFull: true });
    removed += some;
  } while (some === batch);
  return removed;
}

async function removeMarks(store: Store, target: number, before: number): Promise<number> {
  let removed = 0;
  let after: string | undefined;
  do {
    const from = after;
    const some = await store.write(() => store.frontier.removeMarks(target, before, batch, from), {
      evenWhenFull: true,
    });
    removed += some.removed;
    after = some.last;
  } while (after !== undefined);
  return removed;
}
