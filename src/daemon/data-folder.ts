import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, systemText } from '../definition/folder.ts';

/** Where the first page of LMDB as we use it says what it is: after a page head of 24 bytes, magic number and version. */
const magicOffset = 24;
const magic = 0xbeefc0de;
const version = 2;

const elsewhere = 'use another folder with --data';

/**
 * Makes the folder of a daemon's data ready, or says in one sentence why it cannot be kept there. A file that is not LMDB's is
 * found here, since opening one ends the process.
 */
export async function dataFault(folder: string): Promise<string | undefined> {
  try {
    await makeFolder(folder);
    const stats = await stat(folder);
    if (!stats.isDirectory()) return `${folder}: expected a folder for the data, found a file: ${elsewhere}`;
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return `${folder}: data cannot be kept there: ${systemText(error)}: ${elsewhere}, or make this one writable`;
  }
  for (const name of ['data.mdb', 'lock.mdb']) {
    const fault = await fileFault(join(folder, name));
    if (fault !== undefined) return fault;
  }
  return isStore(join(folder, 'data.mdb'));
}

async function fileFault(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return foreign(path);
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return `${path}: cannot be written: ${systemText(error)}: ${elsewhere}, or make this one writable`;
  }
}

/** A file that is empty or not there is one that a new store begins with. */
async function isStore(path: string): Promise<string | undefined> {
  const head = await headOf(path);
  if (head.length === 0) return undefined;
  const numbers = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isOurs =
    head.length === magicOffset + 8 &&
    [true, false].some(
      (isLittle) =>
        numbers.getUint32(magicOffset, isLittle) === magic && numbers.getUint32(magicOffset + 4, isLittle) === version,
    );
  return isOurs ? undefined : foreign(path);
}

async function headOf(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(new Uint8Array(magicOffset + 8), 0, magicOffset + 8, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Uint8Array();
    throw error;
  }
}

function foreign(path: string): string {
  return `${path} is not a store of Heronry: move it away, or ${elsewhere}`;
}
