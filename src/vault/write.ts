import { StoreFullError } from '../store/lmdb/environment.ts';
import type { Store } from '../store/store.ts';
import type { PackKey, PackRow, PagePlace } from '../store/tables/vault.ts';
import { contentOf, encodeEntry, type Encoding, type PageHead } from './entry.ts';
import { appendTo, longestChain, PackReader } from './pack.ts';
import { compress } from './zstd.ts';

/** A page that is to be kept. */
export interface PageToKeep extends PageHead {
  readonly source: string;
  readonly body: Uint8Array;
  /** Set for evidence that is copied from a pack that goes. */
  readonly isCopy?: true;
}

/** The pages of one write, and their size in bytes, at most. */
const [batchPages, batchBytes] = [32, 16 * 1024 * 1024];

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
 */
export async function writeBatch(open: OpenPack, pages: readonly PageToKeep[]): Promise<void> {
  const { store, path, key, row, now } = open;
  const entries = await encodeAll(open, pages);
  try {
    await appendTo(path, row.bytes, entries);
  } catch (error) {
    throw fullError(error, path);
  }
  await store.write(() => {
    const { vault } = store;
    let offset = row.bytes;
    for (const [index, page] of pages.entries()) {
      const { length } = entries[index] ?? [];
      // Of a page that is kept twice in a pack, the first has the body.
      if (!isInPack(vault.pages.get(page.digest), row)) vault.pages.put(page.digest, [row.pack, offset, length]);
      offset += length;
      if (page.isCopy === true) continue;
      const before = vault.evidenceOf(page.target, page.url);
      const evidence = page.why === 'bad' ? { ...before, bad: page.digest } : { good: page.digest };
      vault.putEvidence(page.target, page.url, evidence);
    }
    vault.packs.put(key, { ...row, bytes: offset, pages: row.pages + pages.length, keptAt: now });
  });
}

async function encodeAll({ path, ...open }: OpenPack, pages: readonly PageToKeep[]): Promise<readonly Buffer[]> {
  let opening: Promise<PackReader | undefined> | undefined;
  const reader = (): Promise<PackReader | undefined> => (opening ??= PackReader.open(path));
  try {
    return await Promise.all(pages.map((page) => encode(page, open, reader)));
  } finally {
    await (await opening)?.close();
  }
}

async function encode(
  { source: _source, body, isCopy: _isCopy, ...head }: PageToKeep,
  { store: { vault }, row }: Pick<OpenPack, 'store' | 'row'>,
  reader: () => Promise<PackReader | undefined>,
): Promise<Buffer> {
  const isRepeat = isInPack(vault.pages.get(head.digest), row);
  const content = contentOf(head, isRepeat ? new Uint8Array() : body);
  const before = vault.pages.get(vault.evidenceOf(head.target, head.url)?.good ?? '');
  const base = before !== undefined && isInPack(before, row) ? await (await reader())?.read(before[1]) : undefined;
  const parts = { isRepeat, size: content.length };
  // A page that stands on others is read with them: the chain is bounded.
  if (before === undefined || base === undefined || base === 'damaged' || base.depth >= longestChain)
    return encodeEntry({ ...parts, ...alone, depth: 0, stored: await compress(content) });
  const encoding: Encoding = { kind: 'delta', base: before[1] };
  return encodeEntry({ ...parts, encoding, depth: base.depth + 1, stored: await compress(content, base.content) });
}

const alone = { encoding: { kind: 'alone' } } as const;

function isInPack(place: PagePlace | undefined, { pack, bytes }: PackRow): boolean {
  return place !== undefined && place[0] === pack && place[1] < bytes;
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function fullError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !fullCodes.has(error.code)) return error;
  return new StoreFullError('disk_full', `${path}: the disk is full (${String(error.code)}): expected room to write`, {
    cause: error,
  });
}
