import type { Validators } from '../../fetch/page.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { digestOf } from './digest.ts';

/** A page that items of a list lead to, and the results of requests for it. */
export interface ItemPageRow extends Validators {
  readonly url: string;
  /** The type of the records that it says more of. */
  readonly type: string;
  /** Set while scrapes are to ask for it: from which instant on, 0 for at once. Of pages at one instant, the lowest `order` comes first. */
  readonly ask?: { readonly at: number; readonly order: number };
  /** Version of the definition by which it was last asked for. */
  readonly version?: string;
  /** When it was last read, or known to be unchanged. */
  readonly observedAt?: number;
  /** How many times in a row it could not be read since then. */
  readonly failures?: number;
}

/** Pages that are still to be asked are counted up to this number. */
export const mostCountedPages = 10_000;

type PageKey = [target: number, digest: string];

/** The address of an item's page, and the type of its records. */
export type ItemPageName = Pick<ItemPageRow, 'url' | 'type'>;

/** The pages that the items of lists lead to, with the records that lead there and the order in which they are asked. */
export function itemPageTable(environment: Environment) {
  const rows = table<PageKey, ItemPageRow>(environment, 'item_pages');
  const records = table<[...PageKey, record: number], 1>(environment, 'item_pages.records');
  const toAsk = table<[target: number, at: number, order: number, digest: string], 1>(environment, 'item_pages.to_ask');

  return {
    get: (target: number, page: ItemPageName) => rows.get([target, nameDigest(page)]),
    /** Stores a page. Returns whether it is new. */
    put(target: number, row: ItemPageRow): boolean {
      const digest = nameDigest(row);
      const old = rows.get([target, digest]);
      if (old?.ask !== undefined) toAsk.remove([target, old.ask.at, old.ask.order, digest]);
      if (row.ask !== undefined) toAsk.put([target, row.ask.at, row.ask.order, digest], 1);
      rows.put([target, digest], row);
      return old === undefined;
    },
    /** Notes that a record leads to a page. */
    link(target: number, page: ItemPageName, record: number): void {
      const key: [...PageKey, number] = [target, nameDigest(page), record];
      if (!records.has(key)) records.put(key, 1);
    },
    /** Notes that a record leads to a page no more. Forgets a page to which none leads; returns whether it did. */
    unlink(target: number, page: ItemPageName, record: number): boolean {
      const digest = nameDigest(page);
      records.remove([target, digest, record]);
      const old = rows.get([target, digest]);
      if (old === undefined || recordsOf(target, page, 1).length > 0) return false;
      if (old.ask !== undefined) toAsk.remove([target, old.ask.at, old.ask.order, digest]);
      return rows.remove([target, digest]);
    },
    recordsOf,
    /** The pages of a target that are to be asked at `now`, in order. */
    *due(target: number, now: number): Iterable<ItemPageRow> {
      for (const [, , , digest] of toAsk.keys({ from: [target, 0, 0, ''], before: [target, now + 1, 0, ''] })) {
        const row = rows.get([target, digest]);
        if (row !== undefined) yield row;
      }
    },
    /** The number of a target's pages that are to be asked, now or later, counted up to `limit`. */
    countToAsk: (target: number, limit: number) =>
      [...toAsk.keys({ from: [target, 0, 0, ''], before: [target + 1, 0, 0, ''], limit })].length,
    /** Removes up to `limit` rows of a target. Returns the number of removed rows. */
    clear(target: number, limit: number): number {
      const asked = toAsk.removeRange({ from: [target, 0, 0, ''], before: [target + 1, 0, 0, ''], limit });
      const linked = records.removeRange({ from: [target, '', 0], before: [target + 1, '', 0], limit: limit - asked });
      const left = limit - asked - linked;
      return (
        asked +
        linked +
        (left > 0 ? rows.removeRange({ from: [target, ''], before: [target + 1, ''], limit: left }) : 0)
      );
    },
    /** The number of a target's pages, without reading them. */
    countOfTarget: (target: number) => [...rows.keys({ from: [target, ''], before: [target + 1, ''] })].length,
  };

  /** The numbers of the records that lead to a page. */
  function recordsOf(target: number, page: ItemPageName, limit?: number): number[] {
    const digest = nameDigest(page);
    return [...records.keys({ from: [target, digest, 0], before: [target, digest, Infinity], limit })].map(
      ([, , record]) => record,
    );
  }
}

function nameDigest({ url, type }: ItemPageName): string {
  return digestOf(`${type} ${url}`);
}
