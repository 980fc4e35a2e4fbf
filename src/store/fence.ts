import { tellBegin } from './ending.ts';
import type { Fence } from './ops.ts';
import type { Store } from './store.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';

/** The rows that a fence names. */
export interface Held {
  /** With `running`, also while the scrape is not written yet. */
  readonly target: TargetRow;
  readonly scrape: ScrapeRow;
}

/**
 * The rows that a fence names; `undefined` when the fence does not hold, so that nothing may be written. To be called
 * within the transaction.
 *
 * The epoch keeps out a scrape whose target was archived, cancelled, parked or disabled since, even if nothing of that
 * scrape was written then. The scrape's number keeps out every scrape of the target but the newest, as two that began in
 * memory one after the other have one epoch. No number is given twice, not even after a crash, so it stands for the
 * grant that the scrape began with.
 */
export function holds(store: Store, fence: Omit<Fence, 'step'> & Partial<Fence>): Held | undefined {
  const { target: number, epoch, scrape: scrapeNumber, step } = fence;
  const target = store.targets.get(number);
  if (target === undefined || target.epoch !== epoch) return undefined;
  const scrape = store.scrapes.runningOf(target);
  if (scrape?.scrape !== scrapeNumber) return undefined;
  if (step !== undefined && scrape.steps > 0 && store.steps.has(scrapeNumber, step)) return undefined;
  return { target: target.running === scrapeNumber ? target : { ...target, running: scrapeNumber }, scrape };
}

/**
 * Writes that a scrape has begun. Does nothing where that is written, or where the fence does not hold. Rejects with
 * `StoreFullError` when the store has no room.
 */
export async function writeBegin(store: Store, fence: Omit<Fence, 'step'>): Promise<void> {
  if (!store.scrapes.isUnwritten(fence.scrape)) return;
  await store.write((change) => {
    const held = holds(store, fence);
    if (held === undefined || !store.scrapes.isUnwritten(fence.scrape)) return;
    store.scrapes.move(held.scrape);
    store.targets.put(held.target);
    tellBegin(store, change, held.scrape);
  });
  forgetWritten(store, fence.scrape);
}

/** Drops a scrape from memory once a committed change has written it. */
export function forgetWritten({ scrapes }: Store, scrape: number): void {
  if (!scrapes.isUnwritten(scrape)) scrapes.forget(scrape);
}
