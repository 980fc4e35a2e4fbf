import { hash } from 'node:crypto';

/** A digest of a text for the key of a row, as an address may be longer than a key: 132 bits of its SHA-256, in 22 characters. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
