import type { Infeasible } from '../definition/feasible.ts';
import type { KnownPace } from '../schedule/host-pace.ts';
import { inSlices } from './slices.ts';
import type { Change, Store } from './store.ts';
import type { InfeasibleRow } from './tables/infeasible.ts';
import type { Share } from './tables/schedule.ts';

/** How hosts are looked at. Called within a transaction. */
export interface HostLook {
  /** What a host has shown since the start; nothing before it has answered a few times. */
  knownOf(key: string): KnownPace | undefined;
  /** What a host that has shown this does not allow of all that is promised on it. */
  infeasibleOn(shares: readonly Share[], known: KnownPace | undefined): readonly Infeasible[];
}

/** What a host's pace has allowed for so long is told anew; one that is slow by day and fast by night tells nothing twice. */
const forgottenMs = 86_400_000;

/** By what all hosts were last looked at; where that is another one than this, all of them are looked at anew. */
const reckoning = 3;
const reckoningKey = 'infeasible.reckoning';
/** Where the first one kept what it had found. */
const firstKey = 'infeasible';

/** Has the hosts looked at on which these sources promise something, or all hosts. */
export async function lookAgain(store: Store, sources: readonly string[] | 'all'): Promise<void> {
  if (sources.length === 0) return;
  const names = sources === 'all' ? undefined : new Set(sources);
  for await (const shares of inSlices<Share>(store.schedule.sharesAfter)) {
    const keys = new Set(shares.filter(({ source }) => names?.has(source) !== false).map(({ key }) => key));
    if (keys.size > 0) await store.write(() => keys.forEach(store.schedule.markShares));
  }
}

/** Has all hosts looked at once where that was last done by another reckoning. */
export async function lookByThisReckoning(store: Store): Promise<void> {
  if (store.settings.get(reckoningKey) === reckoning) return;
  await lookAgain(store, 'all');
  await store.write(() => {
    store.settings.put(reckoningKey, reckoning);
    store.settings.remove(firstKey);
  });
}

/**
 * Looks at hosts on which something else is promised, or that are asked at another pace, than when they were last looked at:
 * takes down what they do not allow, and tells of what is new. Those that were looked at, which are `limit` at most.
 */
export function tellInfeasible(store: Store, limit: number, hosts: HostLook): Promise<readonly string[]> {
  const { schedule } = store;
  if (schedule.markedShares(1).length === 0) return Promise.resolve([]);
  return store.write((change) => {
    const keys = schedule.markedShares(limit);
    for (const key of keys) {
      lookAt(store, change, key, hosts);
      schedule.unmarkShares(key);
    }
    return keys;
  });
}

function lookAt({ infeasible, schedule }: Store, change: Change, key: string, hosts: HostLook): void {
  const rows = new Map(infeasible.ofKey(key).map((row) => [nameOf(row), row]));
  const shares = schedule.sharesOf(key);
  const known = hosts.knownOf(key) ?? rememberedPace([...rows.values()]);
  for (const found of hosts.infeasibleOn(shares, known)) {
    const name = nameOf(found);
    const before = rows.get(name);
    rows.delete(name);
    if (before === undefined || change.at - (before.allowedAt ?? change.at) >= forgottenMs) {
      const { source, ...data } = found;
      change.tell({ type: 'objective.infeasible', source, data });
    }
    infeasible.put({ ...found, ...(known && { known }) });
  }
  if (rows.size === 0) return;
  // What is promised now would be allowed by a host as slow as then, or its pace alone allows it, which may be for a while.
  const slowThen = new Set(hosts.infeasibleOn(shares, slowest([...rows.values()])).map(nameOf));
  for (const [name, row] of rows) {
    if (slowThen.has(name)) infeasible.put({ ...row, allowedAt: Math.min(row.allowedAt ?? change.at, change.at) });
    else infeasible.remove(row);
  }
}

/**
 * What a host had shown that does not allow what is promised on it, by all rows of its key: one that has not shown anything since
 * the start is taken to be as it was.
 */
export function rememberedPace(rows: readonly InfeasibleRow[]): KnownPace | undefined {
  return slowest(rows.filter(({ allowedAt }) => allowedAt === undefined));
}

/** The most that a host had shown when any of these was found; nothing where their definitions alone had been enough. */
function slowest(rows: readonly InfeasibleRow[]): KnownPace | undefined {
  const all = rows.flatMap(({ known }) => known ?? []);
  if (all.length === 0) return undefined;
  const most = (each: 'gapMs' | 'latencyMs'): number => all.reduce((max, known) => Math.max(max, known[each]), 0);
  return { gapMs: most('gapMs'), latencyMs: most('latencyMs') };
}

function nameOf({ source, objectiveMs, hours }: Infeasible): string {
  return JSON.stringify([source, objectiveMs, hours]);
}
