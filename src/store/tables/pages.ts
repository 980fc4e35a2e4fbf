import type { Environment } from '../lmdb/environment.ts';
import type { Validators } from '../../fetch/page.ts';
import { table } from '../lmdb/table.ts';
import { digestOf } from './digest.ts';

/** A page of a list or a crawl that gave records, as it was last read. */
export interface PageRow extends Validators {
  readonly url: string;
  /** Version of the definition by which it was read. */
  readonly version: string;
  /** When it was last read, or known to be unchanged. */
  readonly observedAt: number;
  /** Numbers of the records that it showed. */
  readonly records: readonly number[];
  /** Set where it has ever left an element open at its end, so that this says nothing. */
  readonly endsOpen?: true;
}

/** The pages that gave the records of lists and crawls, by target and address. */
export function pageTable(environment: Environment) {
  const rows = table<[target: number, digest: string], PageRow>(environment, 'pages');

  return {
    get: (target: number, url: string) => rows.get([target, digestOf(url)]),
    /** Stores a page. Returns whether it is new. */
    put(target: number, row: PageRow): boolean {
      const key: [number, string] = [target, digestOf(row.url)];
      const isNew = !rows.has(key);
      rows.put(key, row);
      return isNew;
    },
    /** Removes a page. Returns whether there was one. */
    remove: (target: number, url: string) => rows.remove([target, digestOf(url)]),
    /** Removes up to `limit` pages of a target. Returns the number of removed pages. */
    clear: (target: number, limit: number) => rows.removeRange({ from: [target, ''], before: [target + 1, ''], limit }),
    /** The number of a target's pages, without reading them. */
    countOfTarget: (target: number) => [...rows.keys({ from: [target, ''], before: [target + 1, ''] })].length,
  };
}
