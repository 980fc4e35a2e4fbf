import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { digestOf } from './digest.ts';
import { namingSources } from './source-names.ts';

/** A file of kept pages of one source and month. */
export interface PackRow {
  readonly pack: number;
  /** The length of the file that counts: what lies behind it was never committed. */
  readonly bytes: number;
  /** The number of its pages. */
  readonly pages: number;
  /** When its last page was written, wall time. */
  readonly keptAt: number;
}

/** The name of a pack. The month is that in which its pages were kept, such as `2026-05`. */
export type PackKey = [source: string, month: string, pack: number];

/** Where a kept page lies: its pack, the offset of its entry in the file, and where it begins in the content of the entry. */
export type PagePlace = readonly [pack: number, offset: number, start: number];

/** The pages of one address that are kept as evidence, by their digests. */
export interface EvidenceRow {
  /** The last one that changed something: what is known stood there. */
  readonly good?: string;
  /** The one before it: where the last one changed values to what is unusual, this is the last good one. */
  readonly before?: string;
  /** The first one since then from which nothing could be read. */
  readonly bad?: string;
  /** How many other pages of the site the last good one leads to, where it is there to lead a crawl on. */
  readonly leads?: number;
  /** Numbers of the first records that the last good one shows, and how many it shows. */
  readonly shows?: readonly number[];
  readonly records?: number;
  /** Set where values of the last good one were held, or waited to be confirmed. */
  readonly isWaiting?: true;
}

/** An address whose newest page is not as it was. */
export interface BadPageRow {
  readonly url: string;
  /** When its first bad page came, wall time. */
  readonly at: number;
}

type AddressKey = [target: number, digest: string];

/** The range of the addresses of a target. */
const ofTarget = (target: number) => ({ from: [target, ''] as AddressKey, before: [target + 1, ''] as AddressKey });

/** The index of the kept pages: packs by source, month and number, the place of each page by its digest, and the evidence of each address. */
export function vaultTable(environment: Environment) {
  const packs = namingSources(environment, table<PackKey, PackRow>(environment, 'vault.packs'), { key: 0 });
  const pages = table<string, PagePlace>(environment, 'vault.pages');
  const evidence = table<AddressKey, EvidenceRow>(environment, 'vault.evidence');
  const bad = table<AddressKey, BadPageRow>(environment, 'vault.bad');

  return {
    packs,
    /** The packs of a source, the oldest month first. */
    packsOf: (source: string) => packs.rows({ from: [source, '', 0], before: [`${source}\0`, '', 0] }),
    /** The newest pack of a source and month. */
    newestPack(source: string, month: string): PackRow | undefined {
      const range = { from: [source, month, 0] as PackKey, before: [source, month, Infinity] as PackKey };
      for (const row of packs.rows({ ...range, newestFirst: true, limit: 1 })) return row;
      return undefined;
    },
    pages,
    evidenceOf: (target: number, url: string) => evidence.get([target, digestOf(url)]),
    /**
     * Stores the evidence of an address.
     *
     * @param at - when the page came that is bad, or is good again.
     */
    putEvidence(target: number, url: string, row: EvidenceRow, at: number): void {
      const key: AddressKey = [target, digestOf(url)];
      const wasBad = evidence.get(key)?.bad !== undefined;
      evidence.put(key, row);
      if (row.bad !== undefined && !wasBad) bad.put(key, { url, at });
      else if (row.bad === undefined && wasBad) bad.remove(key);
    },
    /** Forgets the first bad page of an address that came before an instant: the next one is kept in its place. */
    forgetBad(target: number, url: string, before: number): void {
      const key: AddressKey = [target, digestOf(url)];
      if ((bad.get(key)?.at ?? Infinity) >= before) return;
      const { bad: _bad, ...good } = evidence.get(key) ?? {};
      evidence.put(key, good);
      bad.remove(key);
    },
    /** The addresses of a target whose newest pages are not as they were. */
    badOf: (target: number, limit: number) => bad.rows({ ...ofTarget(target), limit }),
    /** Removes up to `limit` rows of evidence of a target. Returns their number. */
    clear: (target: number, limit: number) =>
      evidence.removeRange({ ...ofTarget(target), limit }) + bad.removeRange({ ...ofTarget(target), limit }),
  };
}
