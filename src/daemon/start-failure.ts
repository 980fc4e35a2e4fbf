import { describeReason } from '../actor/errors.ts';
import type { ExitReason } from '../actor/types.ts';
import { makeFolder, systemText } from '../definition/file.ts';
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of errors whose message is a sentence for a person. */
const readable = new Set(['ClaimedError', 'SchemaError', 'SocketError', 'StoreFullError']);

/** Describes in one line why a daemon did not come up: the first error in `reason`, with the path that it concerns. */
export function startFailure(reason: ExitReason, { data, socket }: { data: string; socket: string }): string {
  const cause = causeOf(reason);
  if (cause === undefined) return oneLine(describeReason(reason));
  if (readable.has(cause.name)) return oneLine(cause.message);
  if ('syscall' in cause && cause.syscall === 'listen')
    return oneLine(`${socket}: cannot listen there: ${listenText(cause)}: choose another place with --socket`);
  if (cause.message.startsWith(data)) return oneLine(cause.message);
  return oneLine(`${data}: the daemon could not start: ${systemText(cause)}`);
}

/** The first error in a reason, however deep. */
function causeOf(reason: unknown): Error | undefined {
  if (reason instanceof Error) return reason;
  if (!Array.isArray(reason)) return undefined;
  for (const part of reason) {
    const found = causeOf(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `listen EACCES: permission denied /run/x.sock` without call, code and path. */
function listenText({ message }: Error): string {
  return /^listen E[A-Z0-9]+: (.*?)(?: \S+)?$/.exec(message)?.[1] ?? message;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** The first page of an LMDB file has a head of 24 bytes, then the magic number and the version. */
const magicOffset = 24;
const magic = 0xbeefc0de;
const version = 2;

const elsewhere = 'use another folder with --data';

/**
 * Makes the folder of a daemon's data, if need be. Resolves with one sentence on why data cannot be kept there; `undefined` where it can.
 * A file that is not LMDB's is found here, since to open one would end the process. Rejects when `data.mdb` cannot be read.
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
  return storeFault(join(folder, 'data.mdb'));
}

/**
 * Resolves with a sentence for the log where other users may replace what stands in the folder of a daemon's data, whatever the modes of
 * the files; `undefined` where they cannot.
 */
export async function looseFolder(folder: string): Promise<string | undefined> {
  const mode = (await stat(folder)).mode & 0o777;
  if ((mode & 0o022) === 0) return undefined;
  return `${folder}: others may replace the files in it, expected mode 0700, got 0${mode.toString(8)}`;
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

/** The fault of a file that is not LMDB's; `undefined` for a store, and for a file that is empty or missing. */
async function storeFault(path: string): Promise<string | undefined> {
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
