import type { Store } from './store.ts';
import type { ClaimRow } from './tables/meta.ts';

/** The parts of a store that exist before it is migrated. */
export type Claimable = Pick<Store, 'environment' | 'meta'>;

/** The result of a claim; `holder` is the living daemon that has claimed the store. */
export type ClaimResult = { readonly ok: true } | { readonly ok: false; readonly holder: ClaimRow };

/**
 * Claims the store for a daemon, unless another daemon that is alive has claimed it. Question and claim are one write
 * transaction, which LMDB grants to one process at a time: of two daemons that start together, one finds the other.
 *
 * @param isAlive - whether a daemon answers on its socket. It must answer before it returns, as a transaction cannot
 *   wait for a promise: connect on another thread and wait with `Atomics.wait`, or in a child process by `spawnSync`.
 *   Nobody can write meanwhile, so it gives up within about a second. A process id alone proves nothing, as it may
 *   belong to another process by now.
 */
export function claim(store: Claimable, identity: ClaimRow, isAlive: (holder: ClaimRow) => boolean): ClaimResult {
  return store.environment.exclusively(() => {
    const holder = store.meta.holder();
    if (holder !== undefined && !isSame(holder, identity) && isAlive(holder)) return { ok: false, holder };
    store.meta.setHolder(identity);
    return { ok: true };
  });
}

/** Releases the claim at an orderly end. Does nothing when another daemon has claimed the store since. */
export function releaseClaim(store: Claimable, identity: ClaimRow): void {
  store.environment.exclusively(() => {
    const holder = store.meta.holder();
    if (holder !== undefined && isSame(holder, identity)) store.meta.setHolder(undefined);
  });
}

function isSame(one: ClaimRow, other: ClaimRow): boolean {
  return one.pid === other.pid && one.socket === other.socket && one.startedAt === other.startedAt;
}
