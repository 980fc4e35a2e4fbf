import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFullError } from '../store/lmdb/environment.ts';
import type { Store } from '../store/store.ts';
import type { BadPageRow, EvidenceRow, PackKey, PackRow } from '../store/tables/vault.ts';
import { type KeptPage, pageAt, pageDigest } from './entry.ts';
import {
  cutTail,
  type Lack,
  PackReader,
  packPath,
  type PagePosition,
  packsIn,
  removePack,
  type ScannedPage,
} from './pack.ts';
import { type PageToKeep, sourceBatch, writeBatch } from './write.ts';

/** The largest page that is kept, in bytes. */
export const mostPageBytes = 4 * 1024 * 1024;

/** The size from which on a source's pages go to another pack, in bytes. */
const packBytes = 256 * 1024 * 1024;

/** Pages that wait while the disk is full, in bytes; of more, the newest are dropped. */
const mostWaitingBytes = 64 * 1024 * 1024;

/** Beyond so many waiting bytes, whoever has a page kept waits until they are written. */
const mostAheadBytes = 8 * 1024 * 1024;

/** Where pages come soon after each other, they are gathered for so long or until so many wait, as a write costs more than a page does. */
const [gatherMs, gatheredPages, soonMs] = [25, 32, 100];

/** The means of a vault. */
export interface VaultOptions {
  /** The folder of the packs; it is made when it is missing. */
  readonly folder: string;
  readonly store: Pick<Store, 'vault' | 'write' | 'now'>;
  /** The size of a pack, in bytes. Default: 256 MiB. */
  readonly packBytes?: number;
  /** Called when a page could not be written because the disk is full; it is written when there is room again. */
  full(error: StoreFullError): void;
  /** Called with a sentence on pages that are lost. */
  warn(what: string): void;
}

/** What the vault has kept and dropped since it was opened. */
export interface VaultCounts {
  /** Pages that wait to be written. */
  readonly waiting: number;
  /** Pages that were dropped, as more than 64 MiB of them waited for room on the disk. */
  readonly dropped: number;
}

/** A page that was looked for by its digest. */
export type FoundPage = { readonly ok: true; readonly page: KeptPage } | { readonly ok: false; readonly why: NotKept };

/** Why a page cannot be read: the vault never had it or it has expired, or its bytes are not those that were written. */
export type NotKept = 'not_kept' | Lack;

/**
 * Keeps pages in pack files, and knows them by the digests of their bodies. A page is appended to the newest pack of its source and month,
 * then the index in the store names it; what a kill leaves between the two is no part of the pack.
 */
export class Vault {
  readonly folder: string;
  readonly #options: VaultOptions;
  readonly #waiting: PageToKeep[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  /** Packs to which nothing is appended: those that are about to go, and those that lacked bytes when the vault was opened. */
  readonly #sealed = new Set<number>();
  #writing: Promise<void> | undefined;
  /** Settles when the write to a pack that is under way is over, as two at a time would write to the same place. Never rejects. */
  #appending = Promise.resolve();
  /** When the last write was over, monotonic. */
  #writtenAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  /** Whether all that waits is to be written at once. */
  #isUrgent = false;
  #isFull = false;
  /** An error of ours, for the next page that is to be kept. */
  #broke: { readonly error: unknown } | undefined;
  /** The removal of a pack that is under way. */
  #removing: Promise<boolean> | undefined;
  /** Copies of the packs that are under way. */
  #copies = 0;
  #nextPack: number;

  private constructor(options: VaultOptions, nextPack: number) {
    this.folder = options.folder;
    this.#options = options;
    this.#nextPack = nextPack;
  }

  /** Opens a vault: cuts what packs have beyond the index, seals packs that lack bytes, and removes packs that the index does not name. */
  static async open(options: VaultOptions): Promise<Vault> {
    const { folder, store, warn } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const rows = new Map(Array.from(store.vault.packs.rows(), (row) => [row.pack, row] as const));
    const files = await packsIn(folder);
    for (const pack of files) if (!rows.has(pack)) await removePack(folder, pack);
    const vault = new Vault(options, Math.max(0, ...files, ...rows.keys()) + 1);
    for (const { pack, bytes } of rows.values()) {
      const lacking = await cutTail(packPath(folder, pack), bytes);
      if (lacking === 0) continue;
      warn(`${packPath(folder, pack)}: ${lacking} bytes are missing at its end: pages there are lost`);
      vault.#sealed.add(pack);
    }
    return vault;
  }

  /**
   * Queues a page to be written, which happens within milliseconds. Resolves at once, or, while many pages wait, when they are written. On
   * a full disk, the page waits for room. Rejects for errors of ours, also of an earlier write.
   */
  async keep(page: PageToKeep): Promise<void> {
    this.#throwBroken();
    if (this.#waitingBytes + page.body.byteLength > mostWaitingBytes) {
      this.#dropped += 1;
      if (this.#dropped === 1) this.#options.warn('pages are not kept: 64 MiB of them wait for room on the disk');
      return;
    }
    this.#waiting.push(page);
    this.#waitingBytes += page.body.byteLength;
    const isSoon = performance.now() - this.#writtenAt < soonMs && this.#waiting.length < gatheredPages;
    if (this.#writing === undefined && !isSoon) void this.#write();
    else if (this.#writing === undefined) this.#writeLater();
    if (this.#waitingBytes > mostAheadBytes && !this.#isFull) await this.resume();
  }

  /**
   * Writes pages of one source, ahead of those that wait. Rejects with `StoreFullError` where the disk has no room; then none of them is kept.
   *
   * @param pages - as many as one write takes, at most
   * @param mostBytes - that they may take in the pack. Default: any number
   * @returns the bytes that they take in the pack; 0 where these would be more than `mostBytes`, so that none is kept.
   */
  write(pages: readonly PageToKeep[], mostBytes = Infinity): Promise<number> {
    const written = this.#appending.then(() => this.#append(pages, mostBytes));
    this.#appending = written.then(
      () => undefined,
      () => undefined,
    );
    return written;
  }

  /** Writes the pages that wait, at once. Resolves when none waits any more, or the disk is full, and no write is under way. Rejects for errors of ours. */
  async resume(): Promise<void> {
    this.#isFull = false;
    while (this.#waiting.length > 0 && !this.#isFull) {
      this.#isUrgent = true;
      await this.#write();
    }
    await this.#appending;
    this.#throwBroken();
  }

  /** The evidence of an address, with what waits to be written. */
  async evidenceOf(target: number, url: string): Promise<EvidenceRow | undefined> {
    if (this.#waiting.some((page) => page.target === target && page.url === url)) await this.resume();
    return this.#options.store.vault.evidenceOf(target, url);
  }

  /** The addresses of a target whose newest pages are not as they were, with what waits to be written; `limit` of them at most. */
  async badOf(target: number, limit: number): Promise<readonly BadPageRow[]> {
    if (this.#waiting.some((page) => page.target === target)) await this.resume();
    return [...this.#options.store.vault.badOf(target, limit)];
  }

  /** Reads a kept page. */
  async read(digest: string): Promise<FoundPage> {
    if (this.#waiting.some((page) => page.digest === digest)) await this.resume();
    const place = this.#options.store.vault.pages.get(digest);
    if (place === undefined) return { ok: false, why: 'not_kept' };
    const [pack, offset, start] = place;
    const reader = await PackReader.open(packPath(this.folder, pack));
    if (reader === undefined) return { ok: false, why: 'missing' };
    try {
      const read = await reader.read(offset);
      if (read === 'damaged') return { ok: false, why: read };
      const { page } = pageAt(read.content, start);
      const isWhole = page.redacted === true || pageDigest(page.body) === digest;
      return isWhole && page.digest === digest ? { ok: true, page } : { ok: false, why: 'damaged' };
    } finally {
      await reader.close();
    }
  }

  /** Whether a page is kept, and not in a sealed pack. */
  isKept(digest: string): boolean {
    const place = this.#options.store.vault.pages.get(digest);
    return place !== undefined && !this.#sealed.has(place[0]);
  }

  /**
   * The pages of one pack, in the order in which they were kept, from a position on; the body of one that repeats an earlier page is
   * empty. None where the file is gone.
   */
  async *entries({ pack, bytes }: PackRow, from?: PagePosition): AsyncGenerator<ScannedPage> {
    const reader = await PackReader.open(packPath(this.folder, pack));
    if (reader === undefined) return;
    try {
      yield* reader.entries(bytes, from);
    } finally {
      await reader.close();
    }
  }

  /** Runs the removal of packs; resolves with `false`, and removes nothing, while the packs are copied or another removal runs. */
  async removing(run: () => Promise<boolean>): Promise<boolean> {
    if (this.#copies > 0 || this.#removing !== undefined) return false;
    this.#removing = run().finally(() => {
      this.#removing = undefined;
    });
    return this.#removing;
  }

  /** Runs a copy of the store's index and of the packs, with all pages that waited; no pack is removed meanwhile. */
  async copying<T>(run: () => Promise<T>): Promise<T> {
    this.#copies += 1;
    try {
      await this.#removing?.catch(() => undefined);
      await this.resume();
      return await run();
    } finally {
      this.#copies -= 1;
    }
  }

  /** Stops writes to a pack that is about to be removed. Resolves when a write that is under way is over. */
  seal(pack: number): Promise<void> {
    this.#sealed.add(pack);
    return this.#appending;
  }

  /** Removes the file of a pack that the index names no more. */
  removeFile(pack: number): Promise<void> {
    return removePack(this.folder, pack);
  }

  counts(): VaultCounts {
    return { waiting: this.#waiting.length, dropped: this.#dropped };
  }

  /** Writes what waits. Pages that the full disk has no room for are lost. */
  async close(): Promise<void> {
    await this.resume();
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.#write(), gatherMs);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.#writtenAt = performance.now();
    });
    return this.#writing;
  }

  /** Writes what waits, or leaves a few for later. Never rejects. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = sourceBatch(this.#waiting);
      try {
        await this.write(some);
        this.#isFull = false;
      } catch (error) {
        if (error instanceof StoreFullError) {
          this.#isFull = true;
          this.#options.full(error);
          break;
        }
        this.#broke ??= { error };
      }
      this.#remove(some);
      if (this.#isUrgent || this.#waiting.length === 0 || this.#waiting.length >= gatheredPages) continue;
      this.#writeLater();
      return;
    }
    this.#isUrgent = false;
  }

  #remove(some: readonly PageToKeep[]): void {
    const done = new Set(some);
    const left = this.#waiting.filter((each) => !done.has(each));
    for (const { body, isOwned } of some) {
      this.#waitingBytes -= body.byteLength;
      if (isOwned === true) free(body.buffer);
    }
    this.#waiting.splice(0, this.#waiting.length, ...left);
  }

  #throwBroken(): void {
    const broke = this.#broke;
    this.#broke = undefined;
    if (broke !== undefined) throw broke.error;
  }

  async #append(pages: readonly PageToKeep[], mostBytes: number): Promise<number> {
    const [first] = pages;
    if (first === undefined) return 0;
    const { store } = this.#options;
    const now = store.now();
    const month = new Date(now).toISOString().slice(0, 7);
    const newest = store.vault.newestPack(first.source, month);
    const isRoomy = newest !== undefined && newest.bytes < (this.#options.packBytes ?? packBytes);
    const isOpen = isRoomy && !this.#sealed.has(newest.pack);
    const row: PackRow = isOpen ? newest : { pack: this.#nextPack, bytes: 0, pages: 0, keptAt: now };
    const key: PackKey = [first.source, month, row.pack];
    const path = packPath(this.folder, row.pack);
    const bytes = await writeBatch({ store, path, key, row, now }, pages, mostBytes);
    if (!isOpen && bytes > 0) this.#nextPack = row.pack + 1;
    return bytes;
  }
}

/** Frees the memory of a buffer, which else waits for a whole collection of garbage, and sets it off early. */
export function free(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** The folder of a vault within a data folder. */
export function vaultFolder(data: string): string {
  return join(data, 'vault');
}
