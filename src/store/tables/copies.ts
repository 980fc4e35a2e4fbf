import type { Validators } from '../../fetch/page.ts';
import type { Environment } from '../lmdb/environment.ts';
import { type Range, table } from '../lmdb/table.ts';
import { digestOf } from './digest.ts';

/** A page of a crawl as it was last read, so that the next crawl asks for it only if it has changed, or if its sitemap says so. */
export interface CopyRow extends Validators {
  /** Version of the definition by which it was read. */
  readonly version: string;
  /** The kind of page as which it was read: one address may be a page for one crawl and a sitemap for another. */
  readonly as: 'detail' | 'listing' | 'sitemap';
  /** When it was last read, or known to be unchanged by its site. */
  readonly readAt: number;
  /** The number of records that it gave. */
  readonly records: number;
  /** The links of the page and what else it gave, as `packLed` has packed them. */
  readonly led: string;
}

type CopyKey = [target: number, digest: string];

/** The pages of crawls that can be asked whether they have changed, by target and address. */
export function copyTable(environment: Environment) {
  const rows = table<CopyKey, CopyRow>(environment, 'copies');

  return {
    get: (target: number, url: string) => rows.get([target, digestOf(url)]),
    put: (target: number, url: string, row: CopyRow) => rows.put([target, digestOf(url)], row),
    /** Up to `limit` digests of a target's addresses, in order, after `after`. */
    *digests(target: number, { after, limit }: { readonly after?: string; readonly limit: number }): Iterable<string> {
      const range = { before: [target + 1, ''], limit } satisfies Range<CopyKey>;
      const from = after === undefined ? { from: [target, ''] as CopyKey } : { after: [target, after] as CopyKey };
      for (const [, digest] of rows.keys({ ...range, ...from })) yield digest;
    },
    /** Removes up to `limit` copies of a target. Returns the number of removed copies. */
    clear: (target: number, limit: number) => rows.removeRange({ from: [target, ''], before: [target + 1, ''], limit }),
    /** Removes the copy of the address with this digest. */
    remove: (target: number, digest: string) => rows.remove([target, digest]),
  };
}
