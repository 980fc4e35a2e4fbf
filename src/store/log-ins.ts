import { StoreFullError } from './lmdb/environment.ts';
import type { Store } from './store.ts';
import { findBySecret, findToken, isInForce, newSecret, type TokenRow } from './tokens.ts';

/** A log-in of a browser. The text of its cookie is not kept. */
export interface LogInRow {
  readonly id: string;
  /** The token by which it was begun; missing where a one-time code was. A later token may have the same id, and not the same digest. */
  readonly token?: Pick<TokenRow, 'id' | 'digest'>;
  /** SHA-256 of the secret in the cookie, in hexadecimal digits. */
  readonly digest: string;
  readonly createdAt: number;
  readonly usedAt: number;
}

/** Whom a log-in stands for: what its token says, under the id of the log-in. */
export interface LoggedIn extends Omit<TokenRow, 'digest' | 'createdAt' | 'expiresAt'> {
  /** The id of its token; missing for a log-in by a one-time code. */
  readonly token?: string;
}

/** Whom a log-in by a one-time code stands for: such codes are made for admins alone. */
const byCode = { label: 'this machine', role: 'admin' } as const;

/** How long a log-in is accepted without use, and at all, and the shortest time between two notes of its use, in milliseconds. */
const idleMs = 12 * 3_600_000;
const longestMs = 30 * 86_400_000;
const noteEveryMs = 60_000;

/** The most log-ins that are kept. */
const mostLogIns = 1_000;

/** The log-ins of a store. Each is named by the text of its cookie, which `begin` alone gives. */
export interface LogIns {
  /** Begins a log-in by a token, or by a one-time code that was right. Resolves with nothing where the token is not in force. */
  begin(by: { readonly token: string } | 'code'): Promise<string | undefined>;
  /** Returns whom a log-in stands for; nothing where it is none, or not in force. */
  find(text: string): LoggedIn | undefined;
  /** Keeps a log-in from ending for lack of use. */
  noteUse(text: string): Promise<void>;
  end(text: string): Promise<void>;
}

/** The part of a store that log-ins need. */
type LogInStore = Pick<Store, 'logIns' | 'tokens' | 'now' | 'newId' | 'write'>;

/** Serves the log-ins of the store that is open. */
export function createLogIns(store: () => LogInStore): LogIns {
  return {
    async begin(by) {
      const token = by === 'code' ? undefined : findToken(store(), by.token);
      return by === 'code' || token !== undefined ? addLogIn(store(), token) : undefined;
    },
    find(text) {
      const found = findLogIn(store(), text);
      if (found === undefined) return undefined;
      const { row, token } = found;
      if (token === undefined) return { ...byCode, id: row.id };
      const { digest: _digest, createdAt: _createdAt, expiresAt: _expiresAt, ...said } = token;
      return { ...said, id: row.id, token: token.id };
    },
    async noteUse(text) {
      const found = findLogIn(store(), text);
      if (found === undefined || store().now() - found.row.usedAt < noteEveryMs) return;
      const { logIns, write } = store();
      try {
        await write(({ at }) => {
          const row = logIns.get(found.row.id);
          if (row !== undefined) logIns.put(row.id, { ...row, usedAt: at });
        }, kept);
      } catch (error) {
        // On a full disk, it ends sooner.
        if (!(error instanceof StoreFullError)) throw error;
      }
    },
    async end(text) {
      const { logIns, write } = store();
      const row = findBySecret(logIns, text);
      if (row !== undefined) await write(() => logIns.remove(row.id), { ...kept, durable: true });
    },
  };
}

/** Ends all log-ins. Resolves with how many there were. */
export function endLogIns({ logIns, write }: Pick<Store, 'logIns' | 'write'>): Promise<number> {
  return write(() => logIns.removeRange({}), { ...kept, durable: true });
}

/** Their room is bounded, and whoever is to mend a full store must get in. */
const kept = { evenWhenFull: true };

function findLogIn(store: LogInStore, text: string) {
  const row = findBySecret(store.logIns, text);
  return row === undefined ? undefined : inForce(store, row, store.now());
}

/** Returns a log-in with its token; nothing where it has expired, or its token is not in force any more. */
function inForce(
  { tokens }: Pick<Store, 'tokens'>,
  row: LogInRow,
  now: number,
): { readonly row: LogInRow; readonly token?: TokenRow } | undefined {
  if (now >= row.createdAt + longestMs || now >= row.usedAt + idleMs) return undefined;
  if (row.token === undefined) return { row };
  const token = tokens.get(row.token.id);
  return token?.digest === row.token.digest && isInForce(token, now) ? { row, token } : undefined;
}

async function addLogIn(store: LogInStore, token: TokenRow | undefined): Promise<string> {
  const { id, digest, text } = newSecret(store.newId());
  await store.write(
    ({ at }) => {
      makeRoom(store, token?.id, at);
      const by = token && { token: { id: token.id, digest: token.digest } };
      store.logIns.put(id, { id, ...by, digest, createdAt: at, usedAt: at });
    },
    { ...kept, durable: true },
  );
  return text;
}

/** Removes log-ins that are not in force; where there are too many still, the oldest of the same token, which has then begun so many itself, or else of all. */
function makeRoom(store: LogInStore, token: string | undefined, now: number): void {
  const rows = [...store.logIns.rows()];
  const left = rows.filter((row) => {
    const stays = inForce(store, row, now) !== undefined;
    if (!stays) store.logIns.remove(row.id);
    return stays;
  });
  if (left.length < mostLogIns) return;
  const own = left.filter((row) => row.token?.id === token);
  const [oldest] = (own.length > 0 ? own : left).sort((one, other) => one.createdAt - other.createdAt);
  if (oldest !== undefined) store.logIns.remove(oldest.id);
}
