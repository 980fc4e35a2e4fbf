import type { TestContext } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { pageDigest } from '../../src/vault/entry.ts';
import { Vault, vaultFolder, type VaultOptions } from '../../src/vault/vault.ts';
import type { PageToKeep } from '../../src/vault/write.ts';
import { temporaryStore, type TestStore } from '../store/fixture.ts';

export interface TestVault extends TestStore {
  readonly vault: Vault;
  /** The folder of the packs. */
  readonly folder: string;
  /** What the vault warned of, and that its disk was full. */
  readonly told: string[];
  /** Opens the vault again, as after a restart. */
  reopen(): Promise<Vault>;
}

/** A vault in a temporary store. */
export async function temporaryVault(t: TestContext, options: Partial<VaultOptions> = {}): Promise<TestVault> {
  const made = await temporaryStore(t);
  const folder = vaultFolder(made.path);
  const told: string[] = [];
  const reopen = (): Promise<Vault> =>
    Vault.open({
      folder,
      store: made.store,
      full: (error) => told.push(error.code),
      warn: (what) => told.push(what),
      ...options,
    });
  return { ...made, vault: await reopen(), folder, told, reopen };
}

/** A page that changed something, with this text. */
export function pageWith(text: string, given: Partial<PageToKeep> = {}): PageToKeep {
  const body = Buffer.from(text);
  return {
    source: 'shop',
    target: 1,
    scrape: 1,
    version: 'v1',
    url: 'https://shop.test/lamp',
    status: 200,
    contentType: 'text/html',
    observedAt: 1_000,
    why: 'changed',
    body,
    digest: pageDigest(body),
    ...given,
  };
}

/** Keeps pages, and resolves when they are written. */
export async function keepNow(vault: Vault, ...pages: readonly PageToKeep[]): Promise<void> {
  await Promise.all(pages.map((page) => vault.keep(page)));
  await vault.resume();
}

/** The bytes of all packs, by the index. */
export function bytesKept({ vault }: Store): number {
  return [...vault.packs.rows()].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The text of a kept page, or why there is none. */
export async function textOf(vault: Vault, digest: string): Promise<string> {
  const found = await vault.read(digest);
  return found.ok ? Buffer.from(found.page.body).toString() : found.why;
}
