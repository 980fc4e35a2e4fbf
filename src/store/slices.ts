import { setImmediate } from 'node:timers/promises';
import type { Change, Store } from './store.ts';

const sliceRows = 1_000;

/** Schedule rows per transaction: some milliseconds of work. */
export const writtenAtOnce = 150;

/**
 * Yields rows slice by slice and leaves the event loop free between two slices. Throws what `sliceAfter` throws.
 *
 * @param sliceAfter - reads up to `limit` rows after `last`, or the first ones without it
 */
export async function* inSlices<T>(
  sliceAfter: (last: T | undefined, limit: number) => Iterable<T>,
  limit = sliceRows,
): AsyncGenerator<readonly T[]> {
  let last: T | undefined;
  for (;;) {
    const rows = [...sliceAfter(last, limit)];
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1);
    await setImmediate();
  }
}

/** Yields a list slice by slice and leaves the event loop free between two slices. */
export async function* slicesOf<T>(list: readonly T[], length: number): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < list.length; from += length) {
    if (from > 0) await setImmediate();
    yield list.slice(from, from + length);
  }
}

/**
 * Yields the numbers of the targets of some sources, few enough at a time for one transaction, and leaves the event loop
 * free between two slices.
 */
export async function* targetsOfSources(
  { targets }: Store,
  sources: Iterable<string>,
): AsyncGenerator<readonly number[]> {
  for (const source of sources)
    yield* inSlices<number>((after, limit) => targets.numbersOfSource(source, { after, limit }), writtenAtOnce);
}

/**
 * Runs `run` in one transaction after the other until it deals with fewer than `limit` rows. Works also when the store is
 * full. Rejects with what `run` throws, and when a commit fails.
 *
 * @param run - deals with up to `limit` rows, such as by removing them, and returns their number.
 * @returns the number of all rows.
 */
export async function writeInSlices(
  { write }: Pick<Store, 'write'>,
  limit: number,
  run: (change: Change) => number,
): Promise<number> {
  let sum = 0;
  for (;;) {
    const rows = await write(run, { evenWhenFull: true });
    sum += rows;
    if (rows < limit) return sum;
  }
}
