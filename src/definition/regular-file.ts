import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemText } from './folder.ts';

/** No file that a person writes is larger. */
export const maxFileBytes = 1024 * 1024;

/** A file as it was read, or what keeps it from being read, as the end of a sentence about it. */
export type ReadFile = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly message: string };

/**
 * Reads a regular file of at most so many bytes, also through a symbolic link. What it is is asked of the open file, which
 * waits for nobody on the other side of a fifo, and what it says of its size is not trusted.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<ReadFile> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
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

/** What stands at a path, for people. */
export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a fifo';
  if (stats.isSocket()) return 'a socket';
  return stats.isSymbolicLink() ? 'a symbolic link' : 'a device';
}

/** What the file system says; anything else is an error of ours. */
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
