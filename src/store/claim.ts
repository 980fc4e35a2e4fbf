import type { Store } from './store.ts';
import type { Identity } from './tables/meta.ts';

/** What of a store is there before it is brought to this program's schema. */
export type Claimable = Pick<Store, 'environment' | 'meta'>;

export type ClaimResult = { readonly ok: true } | { readonly ok: false; readonly holder: Identity };

/**
 * Makes this daemon the one that keeps the store, unless another that lives does. Question and answer are one write
 * transaction, which LMDB grants to one process at a time, so that of two daemons that start together one finds the other.
 *
 * @param isAlive - asks whether that daemon answers on its socket. It must answer before it returns, as a transaction cannot
 *   wait for a promise: connect on another thread and wait with `Atomics.wait`, or in a child process by `spawnSync`. While
 *   it asks, nobody can write, so it gives up within a second or so. A process id alone proves nothing, as it may be another's by now.
 */
export function claim(store: Claimable, identity: Identity, isAlive: (holder: Identity) => boolean): ClaimResult {
  return store.environment.exclusively(() => {
    const holder = store.meta.holder();
    if (holder !== undefined && !isSame(holder, identity) && isAlive(holder)) return { ok: false, holder };
    store.meta.setHolder(identity);
    return { ok: true };
  });
}

/** Gives the store up at an orderly end; does nothing when another daemon has claimed it since. */
export function releaseClaim(store: Claimable, identity: Identity): void {
  store.environment.exclusively(() => {
    const holder = store.meta.holder();
    if (holder !== undefined && isSame(holder, identity)) store.meta.setHolder(undefined);
  });
}

function isSame(one: Identity, other: Identity): boolean {
  return one.pid === other.pid && one.socket === other.socket && one.startedAt === other.startedAt;
}
