import { describeReason } from '../actor/errors.ts';
import type { ExitReason } from '../actor/types.ts';
import { systemText } from '../definition/file.ts';
import { makeFolder } from '../make-folder.ts';
import { keyFileName } from '../session/seal.ts';
import { whyNotCopied } from './try-copy.ts';
import { vaultFolder } from '../vault/vault.ts';
import { constants, existsSync } from 'node:fs';
import { access, chmod, open, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of errors whose message is a sentence for a person. */
const readable = new Set(['ClaimedError', 'SchemaError', 'SocketError', 'StoreFullError']);

/** How messages of LMDB begin that tell of pages which it did not write so. */
const damage = /^MDB_(?:PAGE_NOTFOUND|CORRUPTED|BAD_TXN|CURSOR_FULL|PAGE_FULL|INVALID|PANIC)\b/;

/** Describes in one line why a daemon did not come up: the first error in `reason`, with the path that it concerns. */
export function startFailure(reason: ExitReason, { data, socket }: { data: string; socket: string }): string {
  const cause = causeOf(reason);
  if (cause === undefined) return oneLine(describeReason(reason));
  if (readable.has(cause.name)) return oneLine(cause.message);
  if ('syscall' in cause && cause.syscall === 'listen')
    return oneLine(`${socket}: cannot listen there: ${listenText(cause)}: choose another place with --socket`);
  if (damage.test(cause.message))
    return oneLine(
      `${data}: the store is damaged: restore a backup (docs/operating.md#backup-and-restore): ${cause.message}`,
    );
  if (cause.message.startsWith(data)) return oneLine(cause.message);
  return oneLine(`${data}: the daemon could not start: ${systemText(cause)}`);
}

/** Describes in one line why an actor does not run: `port 7437 is taken`. */
export function whyStopped(reason: ExitReason): string {
  const cause = causeOf(reason);
  if (cause === undefined) return oneLine(describeReason(reason));
  if ('code' in cause && cause.code === 'EADDRINUSE' && 'port' in cause) return `port ${String(cause.port)} is taken`;
  return oneLine(cause.message);
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

/**
 * The first two pages of an LMDB file describe it. Each has a head of 24 bytes, then the magic number, the version, and further on the size of
 * a page, the number of the last page, and that of the transaction.
 */
const magicOffset = 24;
const pageSizeOffset = magicOffset + 24;
const lastPageOffset = magicOffset + 120;
const txnOffset = magicOffset + 128;
const pageOffset = txnOffset + 8;
const magic = 0xbeefc0de;
const version = 2;

const elsewhere = 'use another folder with --data';

/**
 * Makes the folder of a daemon's data, if need be. Resolves with one sentence on why data cannot be kept there; `undefined` where it can.
 * A file that is not LMDB's is found here, since to open one would end the process. Rejects when `data.mdb` cannot be read.
 */
export async function dataFault(folder: string): Promise<string | undefined> {
  try {
    if (await isFile(folder)) return `${folder}: expected a folder for the data, found a file: ${elsewhere}`;
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return `${folder}: data cannot be kept there: ${systemText(error)}: ${elsewhere}, or make this one writable`;
  }
  for (const name of ['data.mdb', 'lock.mdb']) {
    const fault = await fileFault(join(folder, name));
    if (fault !== undefined) return fault;
  }
  const fault = await storeFault(folder);
  if (fault === undefined) return undefined;
  const { path, why } = fault;
  return why === undefined
    ? foreign(path)
    : `${path} was cut: ${why}: put a backup in its place (docs/operating.md), or ${elsewhere}`;
}

/** What is wrong with the file of a store. */
interface StoreFault {
  readonly path: string;
  /** By what one sees that it was cut; missing for a file that is none of LMDB's. */
  readonly why?: string;
}

/**
 * Takes from all others what rights they have to the folder of a daemon's data, to the store in it and to the key of sessions. Resolves with a sentence for the log
 * on each change, and with a fault where they cannot be taken.
 */
export async function tightenRights(folder: string): Promise<{ readonly changes: string[]; readonly fault?: string }> {
  const changes: string[] = [];
  if (process.platform === 'win32') return { changes };
  for (const path of [folder, ...['data.mdb', 'lock.mdb', keyFileName].map((name) => join(folder, name))]) {
    const mode = await modeOf(path);
    if (mode === undefined || (mode & 0o077) === 0) continue;
    const [had, has] = [mode, mode & 0o700].map((each) => `0${each.toString(8)}`);
    try {
      await chmod(path, mode & 0o700);
      changes.push(`${path}: others had rights to it: its mode was ${had} and is ${has} now`);
    } catch (error) {
      return {
        changes,
        fault: `${path}: expected mode ${has}, got ${had}, which cannot be changed: ${systemText(error)}`,
      };
    }
  }
  return { changes };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function fileFault(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return foreign(path);
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    return `${path}: cannot be written: ${systemText(error)}: ${elsewhere}, or make this one writable`;
  }
}

/**
 * The fault of a file that is not LMDB's, or that lacks pages of the store in it: to open either would end the process. `undefined` for a
 * whole store, for a missing file, and for an empty one in a folder that never held a store. Another daemon may write to the store
 * meanwhile: its file only grows, and has its pages before the page that counts them, so each is looked at in that order.
 */
export async function storeFault(folder: string): Promise<StoreFault | undefined> {
  const path = join(folder, 'data.mdb');
  const head = await headOf(path, pageOffset);
  if (head === undefined) return undefined;
  if (head.byteLength === 0) {
    const isCut = (await hasHeldStore(folder)) && (await stat(path)).size === 0;
    return isCut ? { path, why: 'it is empty, where a store was' } : undefined;
  }
  const isLittle = [true, false].find((each) => isMeta(head, 0, each));
  if (isLittle === undefined) return { path };
  const pageBytes = head.getUint32(pageSizeOffset, isLittle);
  const bytes = await headOf(path, pageBytes + pageOffset);
  const { size } = await stat(path);
  if (bytes === undefined || !isMeta(bytes, pageBytes, isLittle))
    return { path, why: `it has ${size} bytes, less than its two first pages` };
  // The newer of the two first pages counts.
  const [newest = 0] = [0, pageBytes].toSorted((a, b) =>
    txnAt(bytes, a, isLittle) < txnAt(bytes, b, isLittle) ? 1 : -1,
  );
  const needed = (Number(bytes.getBigUint64(newest + lastPageOffset, isLittle)) + 1) * pageBytes;
  if (size >= needed) return undefined;
  const sizes = `it has ${size} bytes, and its pages take ${needed}`;
  if (size % pageBytes !== 0) return { path, why: sizes };
  // The last pages of a whole store may never have been written: those that one transaction took and gave back.
  const why = await whyNotCopied(folder);
  return why === undefined ? undefined : { path, why: `${sizes}; those in use cannot be copied: ${why}` };
}

function isMeta(bytes: DataView, at: number, isLittle: boolean): boolean {
  if (bytes.byteLength < at + pageOffset) return false;
  return (
    bytes.getUint32(at + magicOffset, isLittle) === magic && bytes.getUint32(at + magicOffset + 4, isLittle) === version
  );
}

function txnAt(bytes: DataView, at: number, isLittle: boolean): bigint {
  return bytes.getBigUint64(at + txnOffset, isLittle);
}

/**
 * Whether a folder ever held a store: by LMDB's file of locks, which keeps the number of the last transaction, or by what a daemon makes
 * beside its store once that is open.
 */
async function hasHeldStore(folder: string): Promise<boolean> {
  if ([join(folder, keyFileName), vaultFolder(folder)].some((path) => existsSync(path))) return true;
  const bytes = await headOf(join(folder, 'lock.mdb'), 16);
  return bytes?.byteLength === 16 && bytes.getBigUint64(8) !== 0n;
}

/** The first bytes of a file; `undefined` where there is none. */
async function headOf(path: string, length: number): Promise<DataView | undefined> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, 0);
      return new DataView(buffer.buffer, 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function foreign(path: string): string {
  return `${path} is not a store of Heronry: move it away, or ${elsewhere}`;
}
