import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '../schema/role.ts';
import { defined } from '../defined.ts';
import type { Store } from './store.ts';

/** A token of the HTTP API. Its secret is not kept. */
export interface TokenRow {
  readonly id: string;
  /** What the token is for, for people. */
  readonly label: string;
  readonly role: Role;
  /** It sees only projects that have one of these labels. Missing where it sees all. */
  readonly labels?: readonly string[];
  /** It works on the tickets and the definitions of these sources alone. Missing where it may on all. */
  readonly sources?: readonly string[];
  /** SHA-256 of the secret, in hexadecimal digits: a secret of 256 random bits needs no slow digest. */
  readonly digest: string;
  readonly createdAt: number;
  /** The first instant at which the token is not accepted. */
  readonly expiresAt?: number;
}

/** A new token: what to call it, and what may be done with it. */
export interface TokenWish extends Pick<TokenRow, 'label' | 'role' | 'labels' | 'sources'> {
  readonly expiresAt?: number | undefined;
}

/** Stores a new token, in place of one that has the same id. Resolves with its row, and with its text, which cannot be had again. */
export async function createToken(
  store: Pick<Store, 'write' | 'tokens' | 'newId'>,
  { expiresAt, ...wish }: TokenWish,
  id = store.newId(),
): Promise<{ readonly row: TokenRow; readonly text: string }> {
  const { digest, text } = newSecret(id);
  const row = await store.write(
    ({ at }) => {
      const made: TokenRow = {
        id,
        ...wish,
        digest,
        createdAt: at,
        ...defined({ expiresAt }),
      };
      store.tokens.put(id, made);
      return made;
    },
    { durable: true },
  );
  return { row, text };
}

/** Returns the token of a text that a caller sent; nothing where it is none, is revoked or has expired. */
export function findToken(store: Pick<Store, 'tokens' | 'now'>, text: string): TokenRow | undefined {
  const row = findBySecret(store.tokens, text);
  return row !== undefined && isInForce(row, store.now()) ? row : undefined;
}

/** Whether a token is still accepted. */
export function isInForce({ expiresAt }: TokenRow, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

/** Makes a secret of 256 random bits, the text that names it together with an id, and its digest, which alone is to be kept. */
export function newSecret(id: string): { readonly id: string; readonly text: string; readonly digest: string } {
  const secret = randomBytes(32).toString('base64url');
  return { id, text: `${id}.${secret}`, digest: digestOf(secret).toString('hex') };
}

/** Returns the row that a text of `newSecret` names; nothing where the secret is another one. */
export function findBySecret<Row extends { readonly digest: string }>(
  rows: { get(id: string): Row | undefined },
  text: string,
): Row | undefined {
  const dot = text.indexOf('.');
  const row = dot < 1 ? undefined : rows.get(text.slice(0, dot));
  const expected = row === undefined ? digestOf('') : Buffer.from(row.digest, 'hex');
  // Compared also where there is no such row, so that the time does not tell which ids there are.
  const isSame = timingSafeEqual(digestOf(text.slice(dot + 1)), expected);
  return isSame ? row : undefined;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
