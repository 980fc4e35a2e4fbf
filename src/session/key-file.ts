import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerFault } from './secret-store.ts';

export const keyBytes = 32;
const keyFileName = 'session.key';

/** A key file that must not be used. Thrown at start, where only a person can help. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** The key of a data folder, made when there is none. Throws `KeyFileError` for one that others can read or that is cut short. */
export async function readKey(folder: string): Promise<Uint8Array> {
  const file = join(folder, keyFileName);
  return (await readIfThere(file)) ?? (await makeKey(file));
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  const handle = await openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    const { mode, uid } = await handle.stat();
    const fault = ownerFault(file, mode, uid);
    if (fault !== undefined) throw new KeyFileError(fault);
    const key = await handle.readFile();
    if (key.length !== keyBytes)
      throw new KeyFileError(
        `${file}: expected ${keyBytes} bytes, got ${key.length}; remove it to have a new one made`,
      );
    return key;
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written beside and linked into place, so that the file is whole or not there; who comes second takes what is there. */
async function makeKey(file: string): Promise<Uint8Array> {
  const written = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const key = randomBytes(keyBytes);
  const handle = await open(written, 'wx', 0o600);
  try {
    await handle.writeFile(key);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(written, file);
    return key;
  } catch (error) {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const others = there ? await readIfThere(file) : undefined;
    if (others === undefined) throw error;
    return others;
  } finally {
    await unlink(written);
  }
}
