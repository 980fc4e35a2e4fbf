import { setImmediate } from 'node:timers/promises';

const sliceRows = 1_000;

/** Rows of the schedule that are written in one go: some milliseconds of work. */
export const writtenAtOnce = 150;

/** Rows a slice at a time, with a turn of the event loop between two slices: a walk over very many holds nobody up. */
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
