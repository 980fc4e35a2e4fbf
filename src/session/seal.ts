import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const version = 'v1';
const nonceBytes = 12;
const tagBytes = 16;

/** What came of opening a sealed text. */
export type Opened =
  | { readonly ok: true; readonly text: string }
  /** `version`: made by another version of the program; `broken`: with another key, for another context, or changed since. */
  | { readonly ok: false; readonly why: 'version' | 'broken' };

/** Keeps texts from those who have the data but not the key. */
export interface Sealer {
  /** A text of letters, digits, `-`, `_` and `.`, different each time; it opens for the same context only. */
  seal(text: string, context: string): string;
  open(sealed: string, context: string): Opened;
  /** Tells whether texts are the same without keeping them; who has no key cannot try out guesses. */
  fingerprint(text: string): string;
}

/**
 * AES-256-GCM with a random nonce per text: a key may seal four billion of them.
 *
 * @param key - 32 random bytes; each purpose gets one of its own, derived from them.
 */
export function sealerWith(key: Uint8Array): Sealer {
  const sealingKey = derived(key, 'heronry sealing v1');
  const fingerprintKey = derived(key, 'heronry fingerprint v1');

  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(boundTo(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      if (!sealed.startsWith(`${version}.`)) return { ok: false, why: 'version' };
      const bytes = Buffer.from(sealed.slice(version.length + 1), 'base64url');
      if (bytes.length < nonceBytes + tagBytes) return { ok: false, why: 'broken' };
      const text = decipher(sealingKey, bytes, context);
      return text === undefined ? { ok: false, why: 'broken' } : { ok: true, text };
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('base64url'),
  };
}

function decipher(key: Uint8Array, bytes: Buffer, context: string): string | undefined {
  const body = bytes.subarray(nonceBytes + tagBytes);
  const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(boundTo(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([opener.update(body), opener.final()]).toString('utf8');
  } catch {
    // `final` throws when the tag does not fit; it has no other way to say so.
    return undefined;
  }
}

function boundTo(context: string): Buffer {
  return Buffer.from(`${version}\0${context}`);
}

function derived(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), purpose, 32));
}
