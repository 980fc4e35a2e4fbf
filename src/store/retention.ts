import type { Store } from './store.ts';

/** How many of the newest rows of each log stay, at least 1. */
export interface RetentionLimits {
  readonly events: number;
  readonly scrapes: number;
  readonly steps: number;
  readonly commits: number;
  readonly history: number;
}

const logs = ['events', 'scrapes', 'steps', 'commits', 'history'] as const satisfies readonly (keyof RetentionLimits)[];

/** Rows per transaction, so that commits wait a few milliseconds at most. */
const batch = 1_000;

/** Removes what is beyond the limits, the oldest first, in small transactions; works also when the store is full. Returns how many rows that were. */
export async function trim(store: Store, limits: RetentionLimits): Promise<number> {
  let removed = 0;
  for (const log of logs) {
    let some: number;
    do {
      some = await store.write(() => store[log].trim(limits[log], batch), { evenWhenFull: true });
      removed += some;
    } while (some === batch);
  }
  return removed;
}
