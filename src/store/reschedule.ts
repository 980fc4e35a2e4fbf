import { scheduleNext } from './ending.ts';
import { inSlices } from './slices.ts';
import type { Store } from './store.ts';

/** Plans the targets of some sources anew, or all of them, as what decides when they are due has changed; a few at a time. */
export async function reschedule(store: Store, sources: Iterable<string> | 'all'): Promise<void> {
  if (sources === 'all') {
    for await (const rows of inSlices(store.schedule.rowsAfter))
      await again(
        store,
        rows.map(({ target }) => target),
      );
    return;
  }
  for (const source of sources) {
    const after = (last: number | undefined, limit: number) =>
      store.targets.numbersOfSource(source, { after: last, limit });
    for await (const numbers of inSlices(after)) await again(store, numbers);
  }
}

function again(store: Store, numbers: readonly number[]): Promise<void> {
  return store.write((change) => {
    for (const number of numbers) {
      const target = store.targets.get(number);
      if (target !== undefined) scheduleNext(store, change, target);
    }
  });
}
