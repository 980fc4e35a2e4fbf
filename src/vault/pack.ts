import { type FileHandle, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeEntry, type Entry, entryExtent, entryHeadBytes, type PageInContent, pageAt } from './entry.ts';
import { expand } from './zstd.ts';

/** The largest chain of entries that must be expanded before another, the first of which stands alone. */
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
 * Writes parts of a file one after the other at `position`, which is where the index says that the file ends; what a killed process left
 * there is overwritten. Rejects with the system's error; then nothing counts of what was written.
 */
export async function appendTo(path: string, position: number, parts: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, position === 0 ? 'w' : 'r+', 0o600);
  try {
    for (let [rest, at] = [parts, position]; rest.length > 0;) {
      const { bytesWritten } = await file.writev(rest, at);
      at += bytesWritten;
      rest = behind(rest, bytesWritten);
    }
  } finally {
    await file.close();
  }
}

/** Copies the bytes of a pack from one position to another, where its copy ends at the first; on disk when it resolves. Does nothing where the pack has no file, which the vault reports itself. */
export async function copyTail(from: string, to: string, position: number, end: number): Promise<void> {
  const source = await open(from, 'r').catch(orMissing);
  if (source === undefined) return;
  try {
    const copy = await open(to, position === 0 ? 'w' : 'r+', 0o600);
    try {
      const buffer = Buffer.alloc(Math.min(1_048_576, end - position));
      for (let at = position; at < end;) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, end - at), at);
        if (bytesRead === 0) break;
        for (let written = 0; written < bytesRead;)
          written += (await copy.write(buffer, written, bytesRead - written, at + written)).bytesWritten;
        at += bytesRead;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

function orMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/** Returns the rest of some parts after their first bytes. */
function behind([first, ...parts]: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  if (first === undefined) return [];
  return first.length > bytes ? [first.subarray(bytes), ...parts] : behind(parts, bytes - first.length);
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

/** The expanded content of an entry. */
export interface Content extends Pick<Entry, 'depth'> {
  readonly content: Buffer;
}

/** The reason why an entry could not be read: `missing` if its file is gone. */
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

  /**
   * Expands the entry at an offset; resolves with `damaged` where it, or one that its content stands on, is not as it was written.
   *
   * @param standing - how many entries stand on it, one on the other
   */
  async read(offset: number, standing = 0): Promise<Content | 'damaged'> {
    const known = this.#recent.get(offset);
    if (known !== undefined) return known;
    const entry = standing > longestChain ? undefined : await this.#entry(offset);
    if (entry === undefined) return 'damaged';
    const { base, depth, size, stored } = entry;
    const below = base && (await this.read(base.offset, standing + 1));
    if (below === 'damaged') return below;
    const content = await expand(stored, size, base && below?.content.subarray(base.start, base.start + base.length));
    return content === undefined ? 'damaged' : this.#keep(offset, { depth, content });
  }

  /**
   * The pages of the entries up to `bytes` in the order in which they were written, from a position on. Pages of a damaged entry are
   * given as such; where not even its length can be read, the rest of the pack counts as one damaged page.
   */
  async *entries(bytes: number, { offset, start }: PagePosition = firstPosition): AsyncGenerator<ScannedPage> {
    for (let [at, from] = [offset, start]; at < bytes; from = 0) {
      const { length, pages } = entryExtent(await this.#bytes(at, entryHeadBytes)) ?? { length: Infinity, pages: 1 };
      const after = { offset: Math.min(bytes, at + length), start: 0 };
      const read = at + length > bytes ? 'damaged' : await this.read(at);
      if (read === 'damaged')
        for (let count = 0; count < pages; count += 1) yield { page: read, isRepeat: false, next: after };
      else {
        const { content } = read;
        while (from < content.length) {
          const { end, ...page } = pageAt(content, from);
          from = end;
          yield { ...page, next: end < content.length ? { offset: at, start: end } : after };
        }
      }
      at = after.offset;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #entry(offset: number): Promise<Entry | undefined> {
    const { length } = entryExtent(await this.#bytes(offset, entryHeadBytes)) ?? { length: Infinity };
    return length > mostEntryBytes ? undefined : decodeEntry(await this.#bytes(offset, length));
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  /** Keeps a content that others may stand on. */
  #keep(offset: number, read: Content): Content {
    this.#recent.set(offset, read);
    this.#recentBytes += read.content.length;
    for (const [at, { content }] of this.#recent) {
      if (this.#recentBytes <= mostRecentBytes || at === offset) break;
      this.#recent.delete(at);
      this.#recentBytes -= content.length;
    }
    return read;
  }
}

/** Where a page lies in a pack: the offset of its entry, and where it begins in the content of the entry. */
export interface PagePosition {
  readonly offset: number;
  readonly start: number;
}

const firstPosition: PagePosition = { offset: 0, start: 0 };

/** A page of a pack in the order of the file; `next` is where the page after it lies. */
export type ScannedPage = { readonly next: PagePosition } & (
  | Pick<PageInContent, 'page' | 'isRepeat'>
  | { readonly page: 'damaged'; readonly isRepeat: false }
);

/** The largest entry that is read, in bytes: the largest page that is kept, and its head. */
const mostEntryBytes = 40 * 1024 * 1024;

/** The contents that a reader remembers, in bytes. */
const mostRecentBytes = 16 * 1024 * 1024;
