import { defined } from '../defined.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { type Ending, endRunning, endTarget } from './ending.ts';
import { finishAtEnd } from './finish.ts';
import { scheduleFirst } from './schedule.ts';
import type { TargetRow } from './tables/rows.ts';
import type { Store } from './store.ts';
import { subjectsOf } from './subjects.ts';

/** The result of a change of a target. */
export type TargetResult = { readonly ok: true } | { readonly ok: false; readonly why: 'not_found' };

/**
 * `parks` when a target has crashed so often that the caller must park it; its row says how often it was parked before.
 */
export type CrashResult =
  | { readonly ok: true; readonly parks: boolean; readonly target: TargetRow }
  | { readonly ok: false; readonly why: 'not_found' };

/**
 * A target is parked by more than `maxCrashes` crashes within `withinMs`, or by `maxInRow` in a row without a committed
 * step.
 */
const maxCrashes = 3;
const withinMs = 5_000;
const maxInRow = 4;

/**
 * Records a crash of a target's scrape, and ends that scrape as failed if it runs. The due time does not change. On disk when it
 * resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function recordCrash(store: Store, number: number, message: string, mostInRow = maxInRow): Promise<CrashResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      const { crashes } = target;
      const running = store.scrapes.runningOf(target)?.scrape;
      const recent = [...crashes.recent.filter((at) => at > change.at - withinMs), change.at];
      const crash: Ending = { status: 'failed', failure: { code: 'crashed', message } };
      const crashed: TargetRow = {
        ...endRunning(store, change, target, crash),
        crashes: {
          recent: recent.slice(-maxCrashes - 1),
          inRow: crashes.inRow + 1,
          total: crashes.total + 1,
          last: message,
        },
      };
      store.targets.put(crashed);
      change.tell({
        type: 'target.crashed',
        ...subjectsOf(target),
        ...defined({ scrape: running }),
        data: { message },
      });
      return { ok: true, parks: recent.length > maxCrashes || crashed.crashes.inRow >= mostInRow, target: crashed };
    },
    { durable: true },
  );
}

/**
 * Records a crash as `recordCrash` does, and parks the target if it has crashed too often. Resolves with whether it parked the target.
 * Rejects with `StoreFullError` when the store has no room.
 *
 * @param retryAt - returns the instant at which a target is to be released that was parked `times` times in a row.
 * @param mostInRow - how many crashes in a row park the target. Default: 4.
 */
export async function recordCrashOrPark(
  store: Store,
  number: number,
  message: string,
  retryAt: (times: number) => number,
  mostInRow?: number,
): Promise<boolean> {
  const crash = await recordCrash(store, number, message, mostInRow);
  if (!crash.ok || !crash.parks) return false;
  const times = (crash.target.parked?.times ?? 0) + 1;
  await parkTarget(store, number, message, retryAt(times));
  return true;
}

/**
 * Parks an active target: it is not scraped until it is released, and its scrapes are cancelled. Does nothing to a
 * target that is not active. On disk when it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function parkTarget(store: Store, number: number, reason: string, retryAt: number): Promise<TargetResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      if (target.status !== 'active') return { ok: true };
      // A crash may be told after its project was archived.
      const rest = ownerOf(target) === undefined ? 'set-aside' : 'parked';
      const times = (target.parked?.times ?? 0) + 1;
      const parked: TargetRow = {
        ...endTarget(
          store,
          change,
          target,
          { status: 'cancelled', failure: { code: 'parked', message: reason } },
          rest,
        ),
        status: 'parked',
        parked: { at: change.at, reason, retryAt, times },
      };
      store.targets.put(parked);
      change.tell({ type: 'target.parked', ...subjectsOf(target), data: { reason, retryAt, times } });
      return { ok: true };
    },
    { durable: true },
  );
}

/**
 * Looks at a target whose end or whose release may have come: finishes it, or makes it active again. Rejects with
 * `StoreFullError` when the store has no room.
 */
export async function settleTarget(store: Store, number: number): Promise<void> {
  if (await finishAtEnd(store, number)) return;
  const { parked, status } = store.targets.get(number) ?? {};
  if (status === 'parked' && (parked?.retryAt ?? 0) <= store.now()) await releaseTarget(store, number);
}

/**
 * Releases a parked target: it is scraped after the initial delay of a new one. Does nothing to a target that is not
 * parked. On disk when it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function releaseTarget(store: Store, number: number): Promise<TargetResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      if (target.status !== 'parked') return { ok: true };
      const released: TargetRow = { ...target, status: 'active', crashes: { ...target.crashes, recent: [], inRow: 0 } };
      store.targets.put(released);
      if (ownerOf(released) !== undefined) scheduleFirst(store, change, released);
      change.tell({ type: 'target.released', ...subjectsOf(target), data: {} });
      return { ok: true };
    },
    { durable: true },
  );
}
