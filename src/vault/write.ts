import { defined } from '../defined.ts';
import { StoreFullError } from '../store/lmdb/environment.ts';
import type { Store } from '../store/store.ts';
import type { EvidenceRow, PackKey, PackRow, PagePlace } from '../store/tables/vault.ts';
import { contentOf, type ContentPart, encodeEntryHead, mostEntryPages, pageAt, type PageHead } from './entry.ts';
import { appendTo, longestChain, PackReader, type PagePosition } from './pack.ts';
import { compress } from './zstd.ts';

/** A page that is to be kept. */
export interface PageToKeep extends PageHead {
  readonly source: string;
  readonly body: Uint8Array;
  /** Set for a body that is alone in its buffer and that nobody else reads any more: its memory is freed when it is written. */
  readonly isOwned?: true;
  /** Set for evidence that is copied from a pack that goes. */
  readonly isCopy?: true;
  /** Set for a page that is kept as it changed something, and that gives less than the pages before it: the last good one stays evidence. */
  readonly isPoorer?: true;
  /** For a page of a crawl that is there to lead on: how many other pages of the site it leads to. */
  readonly leads?: number;
  /** Numbers of the first records that it shows, and how many it shows. */
  readonly shows?: readonly number[];
  readonly records?: number;
  /** Set where values of it are held, or wait to be confirmed. */
  readonly isWaiting?: true;
  /** Set for a page that shows what was known before the last good one showed something else: that one is evidence no longer. */
  readonly isBack?: true;
}

/** The pages of one write, and their size in bytes, at most. */
const [batchPages, batchBytes] = [mostEntryPages, 16 * 1024 * 1024];

/** Small pages share an entry of so many bytes: together they are compressed in a quarter of the time, and to half the size. */
const entryBytes = 256 * 1024;

/** Takes the first pages that one write may have: all of one source, and no two of one address, as the second may stand on the first. */
export function sourceBatch(waiting: readonly PageToKeep[]): readonly PageToKeep[] {
  const [first] = waiting;
  const some: PageToKeep[] = [];
  const addresses = new Set<string>();
  let bytes = 0;
  for (const each of waiting) {
    const { source, target, url, body } = each;
    if (source !== first?.source) continue;
    const address = `${target} ${url}`;
    if (addresses.has(address)) continue;
    bytes += body.byteLength;
    if (some.length > 0 && (some.length >= batchPages || bytes > batchBytes)) break;
    addresses.add(address);
    some.push(each);
  }
  return some;
}

/** Whether it is a page, and not a file or a picture, which none resembles. */
function isPage({ why }: PageHead): boolean {
  return why === 'changed' || why === 'bad';
}

/** Whether pages are as many as one write takes. */
export function isFullBatch(pages: readonly PageToKeep[]): boolean {
  return pages.length >= batchPages || pages.reduce((sum, { body }) => sum + body.byteLength, 0) >= batchBytes / 2;
}

/** The pack to which pages are written. */
interface OpenPack {
  readonly store: Pick<Store, 'vault' | 'write'>;
  readonly path: string;
  readonly key: PackKey;
  readonly row: PackRow;
  readonly now: number;
}

/**
 * Appends pages to a pack and then names them in the index, in one transaction. Rejects with `StoreFullError` where there is no
 * room; then the index is as it was, and the next write begins at the same place.
 *
 * @returns the bytes that were appended; 0 where these would be more than `mostBytes`, so that none were.
 */
export async function writeBatch(open: OpenPack, pages: readonly PageToKeep[], mostBytes: number): Promise<number> {
  const { store, path, key, row, now } = open;
  const entries = await encodeAll(open, pages);
  const bytes = entries.reduce((sum, { head, stored }) => sum + head.length + stored.length, 0);
  if (bytes > mostBytes) return 0;
  try {
    await appendTo(
      path,
      row.bytes,
      entries.flatMap(({ head, stored }) => [head, stored]),
    );
  } catch (error) {
    throw fullError(error, path);
  }
  await store.write(() => {
    const { vault } = store;
    let offset = row.bytes;
    for (const { head, stored, members } of entries) {
      for (const { page, isRepeat, start } of members) {
        // Of a page that is kept twice in a pack, the first has the body.
        if (!isRepeat) vault.pages.put(page.digest, [row.pack, offset, start]);
        if (page.isCopy === true || !isPage(page)) continue;
        const known = vault.evidenceOf(page.target, page.url);
        vault.putEvidence(page.target, page.url, evidenceAfter(known, page), page.observedAt);
      }
      offset += head.length + stored.length;
    }
    vault.packs.put(key, { ...row, bytes: offset, pages: row.pages + pages.length, keptAt: now });
  });
  return bytes;
}

/** The evidence of an address with one more page: the first bad one since the last good one stays. */
function evidenceAfter(known: EvidenceRow | undefined, page: PageToKeep): EvidenceRow {
  const { digest, why, isPoorer, isBack, leads, shows, records, isWaiting } = page;
  if (why === 'bad' || (isPoorer === true && known?.good !== undefined)) return { bad: digest, ...known };
  const last = known?.good === digest || isBack === true ? known?.before : known?.good;
  const before = last === digest ? undefined : last;
  return { good: digest, ...defined({ before, leads, shows, records, isWaiting }) };
}

/** A page that is to be written. */
interface Draft {
  readonly page: PageToKeep;
  readonly isRepeat: boolean;
  /** The place of the page before it at its address, if that page is in the same pack. */
  readonly before?: PagePosition;
  readonly content: readonly Uint8Array[];
  /** Size of the content, in bytes. */
  readonly size: number;
}

/** An entry with its pages, and where each begins in its content. */
interface EncodedEntry {
  readonly head: Uint8Array;
  readonly stored: Uint8Array;
  readonly members: readonly (Pick<Draft, 'page' | 'isRepeat'> & { readonly start: number })[];
}

/** Encodes pages, one entry after the other: pages of which those before share an entry come in one, as do those that had none before. */
async function encodeAll(
  { path, store, row }: OpenPack,
  pages: readonly PageToKeep[],
): Promise<readonly EncodedEntry[]> {
  const drafts = pages.map((page) => draftOf(page, store.vault, row));
  const groups = [...Map.groupBy(drafts, ({ before }) => before?.offset).values()].flatMap((group) => [
    ...entriesOf(group),
  ]);
  // One buffer for the content of each in turn, and freed at once: memory outside of the heap sets off whole collections of garbage.
  const scratch = Buffer.allocUnsafeSlow(Math.max(...groups.map(sizeOf)));
  const entries: EncodedEntry[] = [];
  let reader: PackReader | undefined;
  try {
    for (const group of groups) {
      if (group[0]?.before !== undefined) reader ??= await PackReader.open(path);
      entries.push(await encode(group, reader, scratch));
    }
  } finally {
    scratch.buffer.transfer(0);
    await reader?.close();
  }
  return entries;
}

function draftOf(page: PageToKeep, vault: OpenPack['store']['vault'], row: PackRow): Draft {
  const {
    source: _source,
    body,
    isOwned: _isOwned,
    isCopy: _isCopy,
    isPoorer: _isPoorer,
    isBack: _isBack,
    isWaiting: _isWaiting,
    leads: _leads,
    records: _records,
    shows: _shows,
    ...head
  } = page;
  const isRepeat = isInPack(vault.pages.get(head.digest), row);
  const like = !isPage(head) ? undefined : vault.evidenceOf(head.target, head.url)?.good;
  const before = like === undefined ? undefined : vault.pages.get(like);
  const content = contentOf(head, body, isRepeat);
  return {
    page,
    isRepeat,
    content,
    size: content.reduce((sum, { length }) => sum + length, 0),
    ...(isInPack(before, row) && { before: { offset: before[1], start: before[2] } }),
  };
}

function sizeOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, { size }) => sum + size, 0);
}

/** Parts drafts into those of one entry each. */
function* entriesOf(drafts: readonly Draft[]): Generator<readonly Draft[]> {
  let some: Draft[] = [];
  let bytes = 0;
  for (const draft of drafts) {
    bytes += draft.size;
    if (some.length > 0 && bytes > entryBytes) {
      yield some;
      [some, bytes] = [[], draft.size];
    }
    some.push(draft);
  }
  yield some;
}

/** Encodes the pages of one entry. Those that stood at their addresses before are the dictionary, if they can be read. */
async function encode(
  drafts: readonly Draft[],
  reader: PackReader | undefined,
  scratch: Buffer,
): Promise<EncodedEntry> {
  const members: { page: PageToKeep; isRepeat: boolean; start: number }[] = [];
  let size = 0;
  for (const { page, isRepeat, content: parts } of drafts) {
    members.push({ page, isRepeat, start: size });
    for (const part of parts) {
      scratch.set(part, size);
      size += part.length;
    }
  }
  const { base, depth, dictionary } = await baseOf(drafts, reader);
  const stored = await compress(scratch.subarray(0, size), dictionary);
  const head = encodeEntryHead({ depth, pages: drafts.length, size, stored, ...(base && { base }) });
  return { head, stored, members };
}

interface Base {
  readonly base?: ContentPart;
  readonly dictionary?: Buffer;
  readonly depth: number;
}

/** The part of an earlier entry that has the pages that stood before at the addresses of these. */
async function baseOf(drafts: readonly Draft[], reader: PackReader | undefined): Promise<Base> {
  const before = drafts.flatMap((draft) => draft.before ?? []);
  const [first] = before;
  const below = first && (await reader?.read(first.offset));
  // An entry that stands on others is read with them: the chain is bounded.
  if (first === undefined || below === undefined || below === 'damaged' || below.depth >= longestChain)
    return { depth: 0 };
  const start = Math.min(...before.map((each) => each.start));
  const end = Math.max(...before.map((each) => pageAt(below.content, each.start).end));
  const base: ContentPart = { offset: first.offset, start, length: end - start };
  return { base, depth: below.depth + 1, dictionary: below.content.subarray(start, end) };
}

function isInPack(place: PagePlace | undefined, { pack, bytes }: PackRow): place is PagePlace {
  return place !== undefined && place[0] === pack && place[1] < bytes;
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function fullError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !fullCodes.has(error.code)) return error;
  return new StoreFullError('disk_full', `${path}: the disk is full (${String(error.code)}): expected room to write`, {
    cause: error,
  });
}
