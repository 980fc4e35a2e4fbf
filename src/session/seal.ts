import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf, openToRead } from '../definition/file.ts';
import { ownerFault } from './secret-store.ts';

const version = 'v1';
const nonceBytes = 12;
const tagBytes = 16;

/** The result of opening a sealed text. */
export type Unsealed =
  | { readonly ok: true; readonly text: string }
  /**
   * `version`: sealed by another version of the program. `broken`: sealed with another key or for another context, or
   * changed since.
   */
  | { readonly ok: false; readonly why: 'version' | 'broken' };

/** Encrypts texts, so that nobody without the key can read them. */
export interface Sealer {
  /**
   * Encrypts `text`. The result has letters, digits, `-`, `_` and `.`, differs each time, and opens only for the same
   * context.
   */
  seal(text: string, context: string): string;
  open(sealed: string, context: string): Unsealed;
  /** Encrypts bytes as `seal` does a text; the result is 28 bytes longer. */
  sealBytes(bytes: Uint8Array, context: string): Buffer;
  /** `undefined` for bytes that were sealed with another key or for another context, or changed since. */
  openBytes(sealed: Uint8Array, context: string): Buffer | undefined;
  /** A digest by which texts can be compared without being stored. Without the key no guess can be tried. */
  fingerprint(text: string): string;
}

/**
 * A sealer with AES-256-GCM and a random nonce for each text; one key is good for four billion texts.
 *
 * @param key - 32 random bytes; each purpose gets one of its own, derived from them.
 */
export function sealerWith(key: Uint8Array): Sealer {
  const sealingKey = derived(key, 'heronry sealing v1');
  const fingerprintKey = derived(key, 'heronry fingerprint v1');

  return {
    seal: (text, context) => `${version}.${encipher(sealingKey, Buffer.from(text), context).toString('base64url')}`,
    open(sealed, context) {
      if (!sealed.startsWith(`${version}.`)) return { ok: false, why: 'version' };
      const bytes = decipher(sealingKey, Buffer.from(sealed.slice(version.length + 1), 'base64url'), context);
      return bytes === undefined ? { ok: false, why: 'broken' } : { ok: true, text: bytes.toString('utf8') };
    },
    sealBytes: (bytes, context) => encipher(sealingKey, bytes, context),
    openBytes: (sealed, context) => decipher(sealingKey, sealed, context),
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('base64url'),
  };
}

function encipher(key: KeyObject, bytes: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(context));
  const body = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
}

function decipher(key: KeyObject, bytes: Uint8Array, context: string): Buffer | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(boundTo(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([opener.update(bytes.subarray(nonceBytes + tagBytes)), opener.final()]);
  } catch {
    // `final` throws when the tag does not fit; it has no other way to say so.
    return undefined;
  }
}

function boundTo(context: string): Buffer {
  return Buffer.from(`${version}\0${context}`);
}

/** A key as an object: a cipher that is given the bytes makes one of them each time, which takes longer than to seal a short text. */
function derived(key: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), purpose, 32)));
}

/** The size of a key, in bytes. */
export const keyBytes = 32;
/** The name of the file of a data folder that holds the key of sessions. */
export const keyFileName = 'session.key';

/** Thrown for a key file that must not be used. A person must act. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/**
 * Reads the key of a data folder, and makes one where there is none. Rejects with `KeyFileError` for a key file that
 * others can read or that is cut short, and with the system's error if the file cannot be read or written.
 */
export async function readKey(folder: string): Promise<Uint8Array> {
  return readOrMakeKey(join(folder, keyFileName));
}

/** Reads the key of a file, and makes one where there is none. Rejects as `readKey` does. */
export async function readOrMakeKey(file: string): Promise<Uint8Array> {
  return (await readKeyIfThere(file)) ?? (await makeKey(file));
}

/**
 * Reads the key of a file; `undefined` where there is none. Rejects as `readKey` does.
 *
 * @param remedy - what to do about a file that holds no key.
 */
export async function readKeyIfThere(
  file: string,
  remedy = 'remove it to have a new one made',
): Promise<Uint8Array | undefined> {
  const handle = await openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new KeyFileError(`${file}: expected a regular file, got ${kindOf(stats)}`);
    const fault = ownerFault(file, stats.mode, stats.uid);
    if (fault !== undefined) throw new KeyFileError(fault);
    const key = await handle.readFile();
    if (key.length !== keyBytes)
      throw new KeyFileError(`${file}: expected ${keyBytes} bytes, got ${key.length}; ${remedy}`);
    return key;
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await openToRead(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes the key file. It is written beside and linked into place, so that it is never there in part; of two processes
 * the second takes the first's key.
 */
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
    const others = there ? await readKeyIfThere(file) : undefined;
    if (others === undefined) throw error;
    return others;
  } finally {
    await unlink(written);
  }
}
