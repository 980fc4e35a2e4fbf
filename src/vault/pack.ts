import { type FileHandle, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeEntry, type Entry, entryHeadBytes, entryLength, type KeptPage, pageOf } from './entry.ts';
import { expand } from './zstd.ts';

/** The largest chain of entries that must be expanded for one page, without the first, which is stored alone. */
export const longestChain = 8;

const packName = /^(\d{6,})\.pack$/;

/** The path of a pack's file. */
export function packPath(folder: string, pack: number): string {
  return join(folder, `${String(pack).padStart(6, '0')}.pack`);
}

/** The numbers of the packs that have a file in a folder. */
export async function packsIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => packName.exec(name)?.[1] ?? []).map(Number);
}

/**
 * Writes entries at `position`, which is where the index says that the file ends; what a killed process left there is
 * overwritten. Rejects with the system's error; then nothing counts of what was written.
 */
export async function appendTo(path: string, position: number, entries: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, position === 0 ? 'w' : 'r+', 0o600);
  try {
    const bytes = Buffer.concat(entries);
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
      at += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

/** Cuts what lies behind the end that the index knows. Resolves with the bytes that lack of the file, 0 for none. */
export async function cutTail(path: string, bytes: number): Promise<number> {
  const { size } = await stat(path).catch(notThere);
  if (size > bytes) await truncate(path, bytes);
  return Math.max(0, bytes - size);
}

/** Removes the file of a pack. */
export function removePack(folder: string, pack: number): Promise<void> {
  return rm(packPath(folder, pack), { force: true });
}

function notThere(error: unknown): { readonly size: number } {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { size: 0 };
  throw error;
}

/** The content of an entry, and how it was stored. */
export interface Content extends Entry {
  readonly content: Buffer;
}

/** What was found in place of an entry: `missing` where its file is gone. */
export type Lack = 'damaged' | 'missing';

/** Reads the entries of one pack. To be closed. */
export class PackReader {
  readonly #file: FileHandle;
  readonly #recent = new Map<number, Content>();
  #recentBytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Opens a pack; resolves with `undefined` where it has no file. */
  static async open(path: string): Promise<PackReader | undefined> {
    try {
      return new PackReader(await open(path, 'r'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Reads the entry at an offset; resolves with `damaged` where it, or one that its content stands on, is not as it was written. */
  async read(offset: number): Promise<Content | 'damaged'> {
    const chain: { readonly offset: number; readonly entry: Entry }[] = [];
    let base: Buffer | undefined;
    for (let at = offset; base === undefined;) {
      const known = this.#recent.get(at);
      if (known !== undefined && chain.length > 0) base = known.content;
      else {
        const entry = await this.#entry(at);
        if (entry === undefined || chain.length > longestChain) return 'damaged';
        chain.unshift({ offset: at, entry });
        if (entry.encoding.kind === 'alone') break;
        at = entry.encoding.base;
      }
    }
    let last: Content | undefined;
    for (const { offset: at, entry } of chain) {
      const content = await expand(entry.stored, entry.size, base);
      if (content === undefined) return 'damaged';
      base = content;
      last = { ...entry, content };
      this.#keep(at, last);
    }
    return last ?? 'damaged';
  }

  /**
   * The entries up to `bytes` in the order in which they were written, from `offset` on. One that is damaged is passed over; where
   * not even its length can be read, the rest of the pack is.
   */
  async *entries(bytes: number, offset = 0): AsyncGenerator<ScannedEntry> {
    for (let at = offset; at < bytes;) {
      const length = entryLength(await this.#bytes(at, entryHeadBytes));
      if (length === undefined || at + length > bytes) {
        yield { offset: at, next: bytes, page: 'damaged', isRepeat: false };
        return;
      }
      const read = await this.read(at);
      const next = at + length;
      yield read === 'damaged'
        ? { offset: at, next, page: read, isRepeat: false }
        : { offset: at, next, page: pageOf(read.content), isRepeat: read.isRepeat };
      at = next;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #entry(offset: number): Promise<Entry | undefined> {
    const length = entryLength(await this.#bytes(offset, entryHeadBytes));
    return length === undefined || length > mostEntryBytes ? undefined : decodeEntry(await this.#bytes(offset, length));
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  /** Keeps a content that others may stand on. */
  #keep(offset: number, read: Content): void {
    this.#recent.set(offset, read);
    this.#recentBytes += read.content.length;
    for (const [at, { content }] of this.#recent) {
      if (this.#recentBytes <= mostRecentBytes || at === offset) break;
      this.#recent.delete(at);
      this.#recentBytes -= content.length;
    }
  }
}

/** An entry of a pack in the order of the file; `next` is the offset behind it. */
export type ScannedEntry = { readonly offset: number; readonly next: number } & (
  | { readonly page: KeptPage; readonly isRepeat: boolean }
  | { readonly page: 'damaged'; readonly isRepeat: false }
);

/** The largest entry that is read, in bytes: the largest page that is kept, and its head. */
const mostEntryBytes = 40 * 1024 * 1024;

/** The contents that a reader remembers, in bytes. */
const mostRecentBytes = 16 * 1024 * 1024;
