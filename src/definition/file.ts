import { constants, existsSync, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the text of a system error without its code, call and path: `permission denied`. */
export function systemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/**
 * Whether a path is taken, also by a symbolic link that leads nowhere: what a person put there is to be read or refused, not passed
 * over. Throws Node's system error if a folder above cannot be searched.
 */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns the path of the definition of a source, whether or not the file exists: `.yml` if there is one, else `.yaml`. */
export function definitionIn(folder: string, id: string): string {
  const other = join(folder, `${id}.yml`);
  return existsSync(other) ? other : join(folder, `${id}.yaml`);
}

/** Largest file that a person may write, in bytes: 1 MiB. */
export const maxFileBytes = 1024 * 1024;

/** Largest file of projects, in bytes: 32 MiB. */
export const maxProjectFileBytes = 32 * 1024 * 1024;

/** The content of a file, or why it could not be read, as the end of a sentence about the file. */
export type ReadFile = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly message: string };

/**
 * Reads a regular file of at most `limitBytes` bytes, also through a symbolic link. Its stated size is not trusted. Rejects only with errors that are not of the
 * file system.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<ReadFile> {
  let file: FileHandle | undefined;
  try {
    file = await openToRead(path);
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, message: `expected a regular file, got ${kindOf(stats)}` };
    const bytes = await readUpTo(file, limitBytes + 1);
    return bytes.length > limitBytes
      ? { ok: false, message: `expected at most ${limitBytes} bytes, got ${Math.max(bytes.length, stats.size)}` }
      : { ok: true, bytes };
  } catch (error) {
    return { ok: false, message: unreadable(error) };
  } finally {
    await file?.close();
  }
}

/**
 * Opens a file for reading before its kind is known. Does not wait for the writer of a fifo: such a wait would hold a thread of Node's
 * pool, and four of them all files and look-ups of names. Rejects with Node's system error.
 */
export function openToRead(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
}

/** Returns a phrase for a kind of file: `a directory`. */
export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a fifo';
  if (stats.isSocket()) return 'a socket';
  return stats.isSymbolicLink() ? 'a symbolic link' : 'a device';
}

/** Returns the end of a sentence about a file that could not be read. Throws the error again if it is not one of the file system. */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  // A socket cannot be opened at all.
  if ('code' in error && error.code === 'ENXIO') return 'expected a regular file, got a socket or a device';
  if ('code' in error && error.code === 'ENOENT') return 'there is no such file or folder';
  return `could not be read: ${systemText(error)}`;
}

async function readUpTo(file: FileHandle, limitBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < limitBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(65_536, limitBytes - length)));
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(parts);
}
