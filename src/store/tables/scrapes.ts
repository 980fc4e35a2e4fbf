import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { ScrapeRow } from './rows.ts';
import { numberedTable, type NumberRange, packedTable, table } from '../lmdb/table.ts';
import { metaTable } from './meta.ts';
import { namingSources, ownSource, sourceNames } from './source-names.ts';
import { scrapeLists } from './scrape-lists.ts';
import { ScrapeNumbers } from './scrape-numbers.ts';
import { type PackedScrape, scrapePacking, unpackScrape, withUrl } from './scrape-packing.ts';
import { wordsOf } from './words.ts';

/**
 * The scrapes, by number, with those that have begun and are not written yet. Lists of them begin with the newest. A
 * scrape that is written counts as it is written, also within the transaction that writes it, so that a change that is
 * undone leaves it as it was in memory.
 *
 * @param urlOf - the address of a target.
 */
export function scrapeTable(environment: Environment, urlOf: (target: number) => string | undefined) {
  const words = wordsOf(environment);
  const packed = table<number, PackedScrape>(environment, 'scrapes', 'msgpack');
  const rows = numberedTable<ScrapeRow>(environment, 'scrapes', (_, name) =>
    namingSources(environment, heldTable(environment, name, packedTable(packed, scrapePacking(words, urlOf))), {
      row: ownSource,
    }),
  );
  const lists = scrapeLists(environment);
  const { idOf } = sourceNames(environment);
  const running = table<number, 1>(environment, 'scrapes.running');
  const numbers = new ScrapeNumbers(metaTable(environment), rows.last);
  /** Scrapes in memory, by number, and the newest of each target. */
  const begun = new Map<number, ScrapeRow>();
  const newestBegun = new Map<number, number>();

  return {
    get: (scrape: number) => rows.get(scrape) ?? begun.get(scrape),
    /** A written scrape without the log of its only step, which takes less to read; `undefined` where there is none. */
    resultOf(scrape: number): ScrapeRow | undefined {
      if (environment.isWriting()) return rows.get(scrape);
      const row = packed.get(scrape);
      return row && ownSource(unpackScrape(words, row, scrape)[0], idOf);
    },
    add(make: (scrape: number) => ScrapeRow): ScrapeRow {
      const row = make(numbers.take());
      rows.put(row.scrape, row);
      lists.add(row.target, row.scrape);
      if (row.status === 'running') running.put(row.scrape, 1);
      return row;
    },
    /** Whether a scrape can begin in memory, as there is a reserved number for it. */
    isNumberReserved: () => numbers.isReserved(),
    /** Reserves numbers, unless some are left. */
    reserveNumbers: () => numbers.reserve(),
    /**
     * Begins a scrape in memory, in place of one of its target that was not written. Returns `undefined` where no number
     * is reserved.
     */
    begin(make: (scrape: number) => ScrapeRow): ScrapeRow | undefined {
      const number = numbers.takeReserved();
      if (number === undefined) return undefined;
      const row = make(number);
      begun.delete(newestBegun.get(row.target) ?? 0);
      begun.set(number, row);
      newestBegun.set(row.target, number);
      return row;
    },
    /** Drops a scrape from memory: it is written, or nothing of it ever will be. */
    forget(scrape: number): void {
      const row = begun.get(scrape);
      if (row === undefined) return;
      begun.delete(scrape);
      newestBegun.delete(row.target);
    },
    /** Gives the scrapes in memory of a source its new id. */
    rename(from: string, to: string): void {
      for (const [scrape, row] of begun) if (row.source === from) begun.set(scrape, { ...row, source: to });
    },
    isUnwritten,
    /** The running scrape of a target, written or not. */
    runningOf(target: { readonly target: number; readonly running?: number }): ScrapeRow | undefined {
      const newest = newestBegun.get(target.target);
      if (newest !== undefined && isUnwritten(newest)) return begun.get(newest);
      const row = target.running === undefined ? undefined : rows.get(target.running);
      return row?.status === 'running' ? row : undefined;
    },
    /** Stores a known scrape whose status has not changed. */
    put: (row: ScrapeRow) => rows.put(row.scrape, row),
    /** Stores a known scrape that begins to run or ends, or one that was only in memory. */
    move(row: ScrapeRow): void {
      const isNew = isUnwritten(row.scrape);
      rows.put(row.scrape, row);
      if (isNew) lists.add(row.target, row.scrape);
      if (row.status === 'running') running.put(row.scrape, 1);
      else if (!isNew) running.remove(row.scrape);
    },
    rows: ({ before = Infinity, limit = Infinity }: Omit<NumberRange, 'after'> = {}) =>
      merged([...begun.values()], rows.rows({ before, newestFirst: true }), { before, limit }),
    ofTarget(target: number, { before = Infinity, limit = Infinity }: Omit<NumberRange, 'after'> = {}) {
      const newest = begun.get(newestBegun.get(target) ?? 0);
      return merged(newest === undefined ? [] : [newest], writtenOf(target, before), { before, limit });
    },
    /** The written scrapes that run. */
    *running(): Iterable<ScrapeRow> {
      for (const scrape of running.keys()) yield* known(scrape);
    },
    /** The running scrapes, written or not. */
    *allRunning(): Iterable<ScrapeRow> {
      for (const scrape of running.keys()) yield* known(scrape);
      for (const [scrape, row] of begun) if (isUnwritten(scrape)) yield row;
    },
    /** The number of running scrapes, without reading them. */
    countRunning: () => running.count() + [...begun.keys()].filter(isUnwritten).length,
    /** The highest number that was given to a scrape, or one that an ended process may have given. */
    last: () => numbers.last(),
    /** Leaves numbers out, as they may have been given by a process that this store knows nothing of. To be called within a transaction. */
    skipNumbers: (count: number) => numbers.skip(count),
    /** Whether numbers are reserved that were not given. */
    hasSpareNumbers: () => numbers.hasSpare(),
    /** Gives the reserved numbers back, so that the next process leaves no gap. To be called within the last transaction. */
    releaseNumbers: () => numbers.release(),
    exceeds: rows.exceeds,
    keptBehind: rows.keptBehind,
    /** Writes the addresses of the steps of a target, which is about to be removed, for up to `limit` of its scrapes. Returns their number. */
    keepUrls(target: number, limit: number): number {
      const url = urlOf(target) ?? '';
      let written = 0;
      for (const scrape of [...lists.before(target, Infinity)]) {
        if (written === limit) break;
        const row = packed.get(scrape);
        const whole = row && withUrl(row, url);
        if (whole === undefined) continue;
        packed.put(scrape, whole);
        written += 1;
      }
      return written;
    },
    /**
     * Removes up to `limit` of the oldest ended scrapes beyond the newest `keep`, but none whose events are kept. Returns the number of
     * removed scrapes.
     *
     * @param firstEvent - the id of the oldest event that is kept.
     */
    trim: (keep: number, limit: number, firstEvent: number) =>
      rows.trim(keep, limit, ({ target, scrape, status, told = 0 }) => {
        if (status === 'running' || status === 'waiting' || told >= firstEvent) return 'stays';
        lists.remove(target, scrape);
        return undefined;
      }),
  };

  /** Whether a scrape has begun in memory and is not written. */
  function isUnwritten(scrape: number): boolean {
    return begun.has(scrape) && !rows.has(scrape);
  }

  function known(scrape: number): readonly ScrapeRow[] {
    const row = rows.get(scrape);
    return row === undefined ? [] : [row];
  }

  function* writtenOf(target: number, before: number): Iterable<ScrapeRow> {
    for (const scrape of lists.before(target, before)) yield* known(scrape);
  }

  /** Merges scrapes in memory with written ones, which come with the newest first. */
  function* merged(
    inMemory: readonly ScrapeRow[],
    written: Iterable<ScrapeRow>,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): Iterable<ScrapeRow> {
    const unwritten = inMemory
      .filter(({ scrape }) => scrape < before && isUnwritten(scrape))
      .sort((one, other) => one.scrape - other.scrape);
    let left = limit;
    for (const row of written) {
      for (; left > 0 && (unwritten.at(-1)?.scrape ?? 0) > row.scrape; left -= 1) yield* unwritten.splice(-1);
      if (left === 0) return;
      yield row;
      left -= 1;
      if (left === 0) return;
    }
    yield* unwritten.reverse().slice(0, left);
  }
}
