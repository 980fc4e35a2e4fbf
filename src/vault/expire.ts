import { tellExpired } from '../store/files.ts';
import type { Change, Store } from '../store/store.ts';
import { inSlices } from '../store/slices.ts';
import type { PackKey, PackRow, PagePlace } from '../store/tables/vault.ts';
import type { PageHead } from './entry.ts';
import type { Vault } from './vault.ts';
import { isFullBatch, type PageToKeep } from './write.ts';

/** How long pages are kept, in milliseconds, and how many bytes of them at most. */
export interface VaultLimits {
  readonly keep: number;
  readonly maxBytes: number;
}

/** A pack with its name. */
interface NamedPack extends PackRow {
  readonly key: PackKey;
}

/**
 * Removes the oldest pack, if its pages are older than `keep`, or all packs together are larger than `maxBytes`. Pages that are evidence
 * are copied to a newer pack before: files that records name, those that the newest change of a record names, those of tickets that are not resolved, the last
 * two good ones of an address, and the first bad one since, with the pictures of these. Where room is short, the copies take half of the pack at most, the first two kinds first; files
 * that go are told. Resolves with whether a pack went; what is interrupted begins anew. While a backup copies the packs, none goes. Rejects with `StoreFullError` where there is no room for the copies; the pack stays.
 */
export function expirePack(store: Store, vault: Vault, limits: VaultLimits): Promise<boolean> {
  return vault.removing(() => expireOldest(store, vault, limits));
}

async function expireOldest(store: Store, vault: Vault, { keep, maxBytes }: VaultLimits): Promise<boolean> {
  const packs = Array.from(store.vault.packs.entries(), ({ key, row }): NamedPack => ({ ...row, key }));
  const [oldest] = packs.toSorted((one, other) => one.keptAt - other.keptAt);
  if (oldest === undefined) return false;
  const isOver = packs.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes;
  if (!isOver && oldest.keptAt >= store.now() - keep) return false;
  await vault.seal(oldest.pack);
  const pack = { ...oldest, ...store.vault.packs.get(oldest.key) };
  await copyEvidence(store, vault, pack, isOver ? pack.bytes / 2 : Infinity);
  await forget(store, oldest);
  await vault.removeFile(oldest.pack);
  return true;
}

/** Evidence is looked for no longer where less than this part of the room for copies is left. */
const leastRoom = 1 / 100;

/**
 * Copies the evidence of a pack to a newer one, up to a number of bytes that it takes there: first what records name. Rejects with
 * `StoreFullError` where there is no room.
 */
async function copyEvidence(store: Store, vault: Vault, pack: NamedPack, mostBytes: number): Promise<void> {
  const targets = new Set<number>();
  for await (const { page } of vault.entries(pack)) if (page !== 'damaged') targets.add(page.target);
  const named = await namedByRecords(store, targets, pack.pack);
  const ofTickets = new Set([...store.tickets.unresolved()].flatMap(({ pages = {} }) => [pages.good, pages.bad]));
  let room = mostBytes;
  for (const isEvidence of [isNamed, isOfAddress]) {
    let pages: PageToKeep[] = [];
    for await (const page of pagesOf(store, vault, pack, isEvidence)) {
      pages.push(page);
      if (!isFullBatch(pages)) continue;
      room -= await copy(vault, pages, room);
      pages = [];
      if (room < mostBytes * leastRoom) return;
    }
    room -= await copy(vault, pages, room);
  }

  function isNamed({ digest }: PageHead): boolean {
    return named.has(digest) || store.files.isStored(digest);
  }

  function isOfAddress({ digest, of = digest, target, url }: PageHead): boolean {
    if (ofTickets.has(of)) return true;
    const evidence = store.vault.evidenceOf(target, url);
    return evidence !== undefined && [evidence.good, evidence.before, evidence.bad].includes(of);
  }
}

/** Copies those of some pages that fit into `room`, in bytes; pages that do not fit together are tried in halves. Resolves with the bytes that they take. */
async function copy(vault: Vault, pages: readonly PageToKeep[], room: number): Promise<number> {
  const bytes = await vault.write(pages, room);
  if (bytes > 0 || pages.length <= 1) return bytes;
  const middle = Math.ceil(pages.length / 2);
  const taken = await copy(vault, pages.slice(0, middle), room);
  return taken + (await copy(vault, pages.slice(middle), room - taken));
}

/** The pages that a pack alone has and that are evidence of one kind, each once. */
async function* pagesOf(
  store: Store,
  vault: Vault,
  pack: NamedPack,
  isEvidence: (page: PageHead) => boolean,
): AsyncGenerator<PageToKeep> {
  const [source] = pack.key;
  const given = new Set<string>();
  for await (const { page, isRepeat } of vault.entries(pack)) {
    if (page === 'damaged' || given.has(page.digest) || !isEvidence(page)) continue;
    const { digest } = page;
    if (store.vault.pages.get(digest)?.[0] !== pack.pack) continue;
    const found = isRepeat ? await vault.read(digest) : { ok: true as const, page };
    if (!found.ok) continue;
    given.add(digest);
    yield { ...found.page, source, isCopy: true };
  }
}

/** The pages of a pack that the newest change of a record names, of the records that these targets have seen. */
async function namedByRecords(
  { records, history, vault }: Store,
  targets: ReadonlySet<number>,
  pack: number,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const target of targets) {
    const slices = inSlices<number>((last = 0, limit) =>
      Array.from(records.ofTarget(target, { after: last, limit }), ({ record }) => record),
    );
    for await (const numbers of slices) {
      for (const number of numbers) {
        for (const { page } of history.ofRecord(number, { newestFirst: true, limit: 1 }))
          if (page !== undefined && vault.pages.get(page)?.[0] === pack) named.add(page);
      }
    }
  }
  return named;
}

/** Removes a pack and its pages from the index, slice by slice, and tells of files that go with it. */
async function forget(store: Store, { key, pack }: NamedPack): Promise<void> {
  const { pages, packs } = store.vault;
  const slices = inSlices<{ readonly key: string; readonly row: PagePlace }>((last, limit) =>
    pages.entries({ ...(last && { after: last.key }), limit }),
  );
  for await (const slice of slices) {
    const gone = slice.filter(({ row }) => row[0] === pack);
    if (gone.length === 0) continue;
    await store.write((change) => gone.forEach(({ key: digest }) => remove(change, digest)), { evenWhenFull: true });
  }
  await store.write(() => packs.remove(key), { evenWhenFull: true });

  function remove(change: Change, digest: string): void {
    // It may have been kept anew meanwhile.
    if (pages.get(digest)?.[0] !== pack) return;
    pages.remove(digest);
    tellExpired(store, change, digest);
  }
}
