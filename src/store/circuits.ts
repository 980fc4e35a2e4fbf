import type { Circuit } from '../fetch/ledger/circuit.ts';
import { type Failed, failureCause } from '../health/failure-cause.ts';
import { defined } from '../defined.ts';
import { usersOf } from './source-users.ts';
import type { Change, Store } from './store.ts';
import { endTrouble, reportTrouble } from './tickets.ts';

/** Targets of a source whose last scrapes say why it fails. */
const looked = 20;

/** Addresses that a ticket names. */
const named = 5;

/** Returns the politeness key that an address of a source belongs to; nothing for a source that is not loaded. */
export type HostOf = (source: string, url: string) => string | undefined;

/**
 * Stores the circuits of sources that have changed; `undefined` for one that is closed. A circuit that opens is reported in the ticket of
 * its host, or in one of its source where the host is not known, and one that closes ends that. To be called within a transaction.
 */
export function saveCircuits(
  store: Store,
  change: Change,
  rows: readonly (readonly [source: string, Circuit | undefined])[],
  hostOf: HostOf,
): void {
  for (const [source, row] of rows) {
    const before = store.circuits.get(source);
    if (row === undefined) {
      store.circuits.remove(source);
      endTrouble(store, change, { source, member: 0 }, ({ kind }) => kind === 'failing');
    } else {
      store.circuits.put(source, row);
      if (row.state === 'open' && before?.state !== 'open') reportFailing(store, change, source, row.times, hostOf);
    }
  }
}

function reportFailing(store: Store, change: Change, source: string, openings: number, hostOf: HostOf): void {
  const failed = failuresOf(store, source);
  const [sample] = failed;
  const host = sample && hostOf(source, sample.url);
  const place = { source, ...defined({ host }), member: 0 };
  reportTrouble(store, change, place, {
    at: change.at,
    symptoms: [{ kind: 'failing', measure: 'openings', observed: openings, expected: { high: 0 } }],
    samples: failed.slice(0, named).map(({ url }) => url),
    projects: usersOf(store, source).projects,
    ...defined({ cause: failureCause(failed, 'targets whose last failure is known') }),
  });
}

/** The failures of the first targets of a source that failed in their last scrapes. */
export function failuresOf({ targets, scrapes }: Store, source: string): (Failed & { readonly url: string })[] {
  return [...targets.numbersOfSource(source, { limit: looked })].flatMap((target) => {
    const url = targets.get(target)?.url;
    const [last] = [...scrapes.ofTarget(target, { limit: 1 })];
    const { failure } = last ?? {};
    return url === undefined || failure?.cause === undefined
      ? []
      : [{ url, code: failure.code, cause: failure.cause, message: failure.message }];
  });
}
