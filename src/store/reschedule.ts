import { setImmediate } from 'node:timers/promises';
import { scheduleNext } from './ending.ts';
import { inSlices, writtenAtOnce } from './slices.ts';
import type { Change, Store } from './store.ts';

/** Some milliseconds of reading, after which a write ends. */
const recordsAtOnce = 300;

/** Plans the targets of some sources anew, or all of them, as what decides when they are due has changed; a few at a time. */
export async function reschedule(store: Store, sources: Iterable<string> | 'all'): Promise<void> {
  if (sources === 'all') {
    for await (const rows of inSlices(store.schedule.rowsAfter, writtenAtOnce))
      await again(
        store,
        rows.map(({ target }) => target),
      );
    return;
  }
  for (const source of sources) {
    const after = (last: number | undefined, limit: number) =>
      store.targets.numbersOfSource(source, { after: last, limit });
    for await (const numbers of inSlices(after, writtenAtOnce)) await again(store, numbers);
  }
}

/** In as many writes as their records ask for, with a turn of the event loop between two. */
async function again(store: Store, numbers: readonly number[]): Promise<void> {
  for (let done = 0; done < numbers.length;) {
    if (done > 0) await setImmediate();
    done += await store.write((change) => againFirst(store, change, numbers.slice(done)));
  }
}

/** The first of some targets, until enough records were read of them; how many these were. */
function againFirst(store: Store, change: Change, numbers: readonly number[]): number {
  let records = 0;
  for (const [index, number] of numbers.entries()) {
    const target = store.targets.get(number);
    if (target !== undefined) records += scheduleNext(store, change, target);
    if (records >= recordsAtOnce) return index + 1;
  }
  return numbers.length;
}
