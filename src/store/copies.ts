import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Extraction } from '../extract/draft.ts';
import type { Fill } from '../health/field-fill.ts';
import type { RecordView } from '../view/record.ts';
import { writeInSlices } from './slices.ts';
import type { Store } from './store.ts';
import type { CopyRow } from './tables/copies.ts';
import type { CrawlRow } from './tables/crawls.ts';
import type { PageCopy } from './tables/rows.ts';

/** The content of a page of a crawl besides its records: links, sitemaps, and how its fields are filled. */
export interface Led extends Pick<Extraction, 'links' | 'sitemaps' | 'changedBy'> {
  readonly fill: Fill;
}

/** The size of a packed page that is kept at most, in characters. A page that leads to more is read in full each time. */
const mostPacked = 1_000_000;

/** The size of a page that is unpacked at most, in bytes: 50,000 links of 2,083 characters. */
const mostUnpacked = 128 * 1024 * 1024;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Packs the content of a page besides its records, off the event loop; `undefined` if it is too large to be kept. */
export async function packLed(led: Led): Promise<string | undefined> {
  const packed = (await deflate(JSON.stringify(led))).toString('base64');
  return packed.length > mostPacked ? undefined : packed;
}

/** Unpacks what `packLed` has packed. */
export async function unpackLed(packed: string): Promise<Led> {
  const bytes = await inflate(Buffer.from(packed, 'base64'), { maxOutputLength: mostUnpacked });
  return JSON.parse(bytes.toString()) as Led;
}

/** The copy of a page of a crawl, and what it gave. */
export interface KnownPage {
  /** The copy by which the site can say whether the page has changed; missing where the site gave nothing to tell by. */
  readonly copy?: PageCopy;
  /** When it was last read, or known to be unchanged by its site. */
  readonly readAt: number;
  /** Numbers of its records. */
  readonly records: readonly number[];
  /** The links of the page and what else it gave, packed by `packLed`. */
  readonly led: string;
}

/**
 * The copy of a page that a crawl has read. `undefined` where another definition has read it, or where reading it again may say more than
 * that it has not changed: one of its records is missing or removed, or was seen elsewhere since.
 */
export function knownPage(
  { copies, pages, records }: Pick<Store, 'copies' | 'pages' | 'records'>,
  target: number,
  url: string,
  { version, as }: Pick<CopyRow, 'version' | 'as'>,
): KnownPage | undefined {
  const row = copies.get(target, url);
  if (row?.version !== version || row.as !== as) return undefined;
  const { etag, lastModified, led, readAt } = row;
  const isConditional = etag !== undefined || lastModified !== undefined;
  const page = pages.get(target, url);
  if (row.records === 0) {
    if (page !== undefined) return undefined;
    return { ...(isConditional && { copy: { ...row, url, observedAt: readAt } }), readAt, records: [], led };
  }
  // A re-check that has read the page since then knows other validators, and other links may stand there.
  if (page?.version !== version || page.etag !== etag || page.lastModified !== lastModified) return undefined;
  const isWhole =
    page.records.length === row.records && page.records.every((each) => isAsRead(records.byNumber(each), page));
  return isWhole ? { ...(isConditional && { copy: page }), readAt, records: page.records, led } : undefined;
}

/** Whether a record is as its page said, as far as the page said anything; what the record's own page says does not count. */
function isAsRead(record: RecordView | undefined, { observedAt }: PageCopy): boolean {
  if (record === undefined || record.absent !== undefined) return false;
  const readAt = record.page?.readAt;
  return Object.values(record.fields).every(({ verifiedAt }) => verifiedAt <= observedAt || verifiedAt === readAt);
}

/** Copies per transaction: commits wait a few milliseconds at most. */
const batch = 1_000;

/** Removes the copies of pages that a complete crawl no longer met. Resolves with their number. Works also when the store is full. */
export async function sweepCopies(store: Store, { target, crawl }: CrawlRow): Promise<number> {
  let after: string | undefined;
  let removed = 0;
  await writeInSlices(store, batch, () => {
    const some = [...store.copies.digests(target, { limit: batch, ...(after !== undefined && { after }) })];
    for (const digest of some) {
      if (!store.frontier.isDigestSeen(target, crawl, digest) && store.copies.remove(target, digest)) removed += 1;
    }
    after = some.at(-1);
    return some.length;
  });
  return removed;
}
