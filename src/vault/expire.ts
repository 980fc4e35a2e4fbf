import type { Store } from '../store/store.ts';
import { inSlices, writeInSlices } from '../store/slices.ts';
import type { PackKey, PackRow } from '../store/tables/vault.ts';
import type { Vault } from './vault.ts';

/** How long pages are kept, in milliseconds, and how many bytes of them at most. */
export interface VaultLimits {
  readonly keep: number;
  readonly maxBytes: number;
}

/** A pack with its name. */
interface NamedPack extends PackRow {
  readonly key: PackKey;
}

/** Rows of the index that one transaction removes. */
const removedAtOnce = 1_000;

/**
 * Removes the oldest pack, if its pages are older than `keep`, or all packs together are larger than `maxBytes`. Pages that are evidence
 * are copied to a newer pack before: those that the newest change of a record names, the last good one of an address, and the first bad
 * one since. Where room is short, the copies take half of the pack at most. Resolves with whether a pack went; what is interrupted begins
 * anew. While a backup copies the packs, none goes. Rejects with `StoreFullError`.
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
  vault.seal(oldest.pack);
  await copyEvidence(store, vault, oldest, isOver ? oldest.bytes / 2 : Infinity);
  await forget(store, oldest);
  await vault.removeFile(oldest.pack);
  return true;
}

/** Copies the evidence of a pack to a newer one, up to a number of bytes of bodies. */
async function copyEvidence(store: Store, vault: Vault, pack: NamedPack, mostBytes: number): Promise<void> {
  const [source] = pack.key;
  const targets = new Set<number>();
  for await (const { page } of vault.entries(pack)) if (page !== 'damaged') targets.add(page.target);
  const named = await namedByRecords(store, targets, pack.pack);
  let bytes = 0;
  for await (const { page } of vault.entries(pack)) {
    if (page === 'damaged') continue;
    const place = store.vault.pages.get(page.digest);
    const evidence = store.vault.evidenceOf(page.target, page.url);
    const isEvidence = named.has(page.digest) || evidence?.good === page.digest || evidence?.bad === page.digest;
    if (place?.[0] !== pack.pack || !isEvidence) continue;
    const found = await vault.read(page.digest);
    if (!found.ok) continue;
    bytes += found.page.body.length;
    if (bytes > mostBytes) break;
    await vault.keep({ ...found.page, source, isCopy: true });
  }
  await vault.resume();
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

/** Removes a pack and its pages from the index. */
async function forget(store: Store, { key, pack }: NamedPack): Promise<void> {
  let after: string | undefined;
  await writeInSlices(store, removedAtOnce, () => {
    const some = [...store.vault.pages.entries({ after, limit: removedAtOnce })];
    for (const { key: digest, row } of some) if (row[0] === pack) store.vault.pages.remove(digest);
    after = some.at(-1)?.key;
    return some.length;
  });
  await store.write(() => store.vault.packs.remove(key), { evenWhenFull: true });
}
