import { ownerOf } from '../schedule/watchers.ts';
import type { Store } from '../store/store.ts';
import type { KeptPage } from '../vault/entry.ts';
import type { Vault } from '../vault/vault.ts';

/** The targets, and the records of each type, whose addresses are looked at for kept pages. */
const [lookedTargets, lookedRecords] = [100, 100];

/** The most addresses whose last good pages are read, with the first bad page since then of each that has one. */
export const mostAddresses = 20;

/** Reads the last good page of some addresses of a source, and the first bad one since then: of its active targets, then of those on which its records of each type stand. */
export async function replayedPages(
  store: Store,
  vault: Vault,
  { source, types }: { readonly source: string; readonly types: readonly string[] },
): Promise<readonly KeptPage[]> {
  const pages = new Map<string, KeptPage>();
  const looked = new Set<string>();
  let addresses = 0;
  for (const { target, url } of placesOf(store, source, types)) {
    const place = `${target} ${url}`;
    if (looked.has(place)) continue;
    looked.add(place);
    const { good, bad } = (await vault.evidenceOf(target, url)) ?? {};
    let isFound = false;
    for (const digest of [good, bad]) {
      if (digest === undefined || pages.has(digest)) continue;
      const found = await vault.read(digest);
      if (!found.ok) continue;
      pages.set(digest, found.page);
      isFound = true;
    }
    addresses += Number(isFound);
    if (addresses === mostAddresses) break;
  }
  return [...pages.values()];
}

interface Place {
  readonly target: number;
  readonly url: string;
}

function* placesOf(store: Store, source: string, types: readonly string[]): Generator<Place> {
  // Half of the addresses are left to pages that targets lead to.
  const own: Place[] = [];
  for (const target of store.targets.numbersOfSource(source, { limit: lookedTargets })) {
    const row = store.targets.get(target);
    if (row !== undefined && ownerOf(row) !== undefined) own.push({ target, url: row.url });
  }
  yield* own.slice(0, mostAddresses / 2);
  for (const type of types) {
    let count = 0;
    for (const { target, url, page } of store.records.ofType(source, type)) {
      yield { target, url };
      if (page !== undefined) yield { target, url: page.url };
      count += 1;
      if (count === lookedRecords) break;
    }
  }
  yield* own.slice(mostAddresses / 2);
}
