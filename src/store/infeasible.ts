import { demandId } from '../schedule/feasibility.ts';
import type { Infeasible } from '../view/infeasible.ts';
import type { KnownPace } from '../schedule/host-pace.ts';
import { defined } from '../defined.ts';
import { inSlices } from './slices.ts';
import { usersOf } from './source-users.ts';
import { endTrouble, reportTrouble } from './tickets.ts';
import type { Change, Store } from './store.ts';
import type { InfeasibleRow } from './tables/infeasible.ts';
import type { Share } from './tables/schedule.ts';

/** The rules by which hosts are checked. Called within a transaction. */
export interface HostLook {
  /** The pace of a host since the daemon's start; `undefined` before it has answered a few times. */
  knownOf(key: string): KnownPace | undefined;
  /** The objectives on a host that it cannot keep at this pace. */
  infeasibleOn(shares: readonly Share[], known: KnownPace | undefined): readonly Infeasible[];
}

/** An objective that becomes infeasible again is told of only after its host allowed it for this long, since a host may be slow by day and fast by night. */
const forgottenMs = 86_400_000;

/** The version of the rules for feasibility. The store keeps the version of the last check; under another one all hosts are checked anew. */
const reckoning = 3;
const reckoningKey = 'infeasible.reckoning';

/** Marks the hosts on which these sources have objectives, or all hosts, to be checked. Rejects with `StoreFullError`. */
export async function lookAgain(store: Store, sources: readonly string[] | 'all'): Promise<void> {
  if (sources.length === 0) return;
  const names = sources === 'all' ? undefined : new Set(sources);
  for await (const shares of inSlices<Share>(store.schedule.sharesAfter)) {
    const keys = new Set(shares.filter(({ source }) => names?.has(source) !== false).map(({ key }) => key));
    if (keys.size > 0) await store.write(() => keys.forEach(store.schedule.markShares));
  }
}

/** Marks all hosts to be checked, once, if they were last checked by another version of the rules. Rejects with `StoreFullError`. */
export async function lookByThisReckoning(store: Store): Promise<void> {
  if (store.settings.get(reckoningKey) === reckoning) return;
  await lookAgain(store, 'all');
  await store.write(() => store.settings.put(reckoningKey, reckoning));
}

/**
 * Checks up to `limit` hosts whose objectives or pace changed since their last check: stores the objectives that they do not allow, and
 * tells an event of each new one. Returns the politeness keys that were checked. Rejects with `StoreFullError`.
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

function lookAt(store: Store, change: Change, key: string, hosts: HostLook): void {
  const { infeasible, schedule } = store;
  const rows = new Map(infeasible.ofKey(key).map((row) => [demandId(row), row]));
  const shares = schedule.sharesOf(key);
  const known = hosts.knownOf(key) ?? rememberedPace([...rows.values()]);
  for (const found of hosts.infeasibleOn(shares, known)) {
    const name = demandId(found);
    const before = rows.get(name);
    rows.delete(name);
    if (before === undefined || change.at - (before.allowedAt ?? change.at) >= forgottenMs) {
      const { source, ...data } = found;
      change.tell({ type: 'objective.infeasible', source, data });
    }
    infeasible.put({ ...found, ...defined({ known }) });
    if (before === undefined || before.allowedAt !== undefined) report(store, change, found);
  }
  if (rows.size === 0) return;
  // An objective that a host as slow as then would not allow is kept: its pace may allow it only for a while.
  const slowThen = new Set(hosts.infeasibleOn(shares, slowest([...rows.values()])).map(demandId));
  for (const [name, row] of rows) {
    const allowedAt = Math.min(row.allowedAt ?? change.at, change.at);
    if (slowThen.has(name) && change.at - allowedAt < forgottenMs) infeasible.put({ ...row, allowedAt });
    else {
      infeasible.remove(row);
      if (infeasible.ofSource(row.source, 1).length === 0)
        endTrouble(store, change, { source: row.source, member: 0 }, ({ kind }) => kind === 'infeasible');
    }
  }
}

/** Reports an objective that its host does not allow, in the ticket of its source. */
function report(store: Store, change: Change, { source, targets, neededMs, objectiveMs }: Infeasible): void {
  reportTrouble(
    store,
    change,
    { source, member: 0 },
    {
      at: change.at,
      symptoms: [
        { kind: 'infeasible', measure: 'neededMs', observed: neededMs, expected: { high: objectiveMs }, of: targets },
      ],
      projects: usersOf(store, source).projects,
    },
  );
}

/**
 * The pace that a host had when its stored objectives became infeasible; used while it has no pace since the daemon's start.
 */
export function rememberedPace(rows: readonly InfeasibleRow[]): KnownPace | undefined {
  return slowest(rows.filter(({ allowedAt }) => allowedAt === undefined));
}

/** The slowest pace of these rows; `undefined` if their definitions alone were infeasible. */
function slowest(rows: readonly InfeasibleRow[]): KnownPace | undefined {
  const all = rows.flatMap(({ known }) => known ?? []);
  if (all.length === 0) return undefined;
  const most = (each: 'gapMs' | 'latencyMs'): number => all.reduce((max, known) => Math.max(max, known[each]), 0);
  return { gapMs: most('gapMs'), latencyMs: most('latencyMs') };
}
