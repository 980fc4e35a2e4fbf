import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';

/** Scrapes of a row, and those of them that stay with the newest when the row is full: a number may come after a higher one. */
const most = 40;
const left = 8;

/** The numbers of the written scrapes of each target, in rows of many, as a row for each would take 45 bytes. */
export function scrapeLists(environment: Environment) {
  /** The newest ones of a target, in order. */
  const newest = table<number, readonly number[]>(environment, 'scrapes.newest', 'msgpack');
  /** The others, by the last one of a row. */
  const older = table<[target: number, last: number], readonly number[]>(environment, 'scrapes.by_target', 'msgpack');

  return {
    add(target: number, scrape: number): void {
      const list = newest.get(target) ?? [];
      const place = list.findLastIndex((each) => each < scrape) + 1;
      const longer = list.toSpliced(place, 0, scrape);
      const full = longer.length > most ? longer.splice(0, most - left) : [];
      const last = full.at(-1);
      if (last !== undefined) older.put([target, last], full);
      newest.put(target, longer);
    },
    /** The scrapes of a target before the number `before`, the newest first. */
    *before(target: number, before: number): Iterable<number> {
      yield* downFrom(newest.get(target) ?? [], before);
      for (const list of older.rows({ from: [target, before], before: [target, Infinity], limit: 1 }))
        yield* downFrom(list, before);
      for (const list of older.rows({ after: [target, 0], before: [target, before], newestFirst: true }))
        yield* downFrom(list, before);
    },
    remove(target: number, scrape: number): void {
      const list = newest.get(target) ?? [];
      if (list.includes(scrape)) {
        const rest = list.filter((each) => each !== scrape);
        if (rest.length > 0) newest.put(target, rest);
        else newest.remove(target);
        return;
      }
      for (const { key, row } of [...older.entries({ from: [target, scrape], before: [target, Infinity], limit: 1 })]) {
        const rest = row.filter((each) => each !== scrape);
        if (rest.length > 0) older.put(key, rest);
        else older.remove(key);
      }
    },
  };
}

function* downFrom(list: readonly number[], before: number): Iterable<number> {
  for (let place = list.length - 1; place >= 0; place -= 1) {
    const scrape = list[place];
    if (scrape !== undefined && scrape < before) yield scrape;
  }
}
