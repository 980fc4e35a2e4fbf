import { type Ending, endRunning, halt, scheduleFirst } from './ending.ts';
import type { TargetRow } from './rows.ts';
import type { Store } from './store.ts';

export type TargetResult = { readonly ok: true } | { readonly ok: false; readonly why: 'not_found' };

/** `parks` when a target has crashed so often that it is to be parked; its row tells how often it was parked before. */
export type CrashResult =
  | { readonly ok: true; readonly parks: boolean; readonly target: TargetRow }
  | { readonly ok: false; readonly why: 'not_found' };

/** More crashes than this within the time park a target, and so do so many in a row without a committed step. */
const maxCrashes = 3;
const withinMs = 5_000;
const maxInRow = 4;

/** Writes down that a scrape of a target crashed, and ends that scrape as failed. When the target is due does not change. */
export function recordCrash(store: Store, number: number, message: string): Promise<CrashResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      const { project, source, crashes, running } = target;
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
        project,
        source,
        target: number,
        ...(running !== undefined && { scrape: running }),
        data: { message },
      });
      change.log({ kind: 'target.crash', target: number, epoch: crashed.epoch });
      return { ok: true, parks: recent.length > maxCrashes || crashed.crashes.inRow >= maxInRow, target: crashed };
    },
    { durable: true },
  );
}

/** Keeps a target from being scraped until it is released; what runs of it is cancelled. Does nothing to one that is not active. */
export function parkTarget(store: Store, number: number, reason: string, retryAt: number): Promise<TargetResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      if (target.status !== 'active') return { ok: true };
      const { project, source } = target;
      // A crash may be told after its project was archived.
      const rest = store.projects.get(project)?.status === 'active' ? 'parked' : 'set-aside';
      const times = (target.parked?.times ?? 0) + 1;
      const parked: TargetRow = {
        ...halt(store, change, target, { status: 'cancelled', failure: { code: 'parked', message: reason } }, rest),
        status: 'parked',
        parked: { at: change.at, reason, retryAt, times },
      };
      store.targets.put(parked);
      change.tell({ type: 'target.parked', project, source, target: number, data: { reason, retryAt, times } });
      change.log({ kind: 'target.park', target: number, epoch: parked.epoch });
      return { ok: true };
    },
    { durable: true },
  );
}

/** Has a parked target scraped again, after the initial delay of a new one. Does nothing to one that is not parked. */
export function releaseTarget(store: Store, number: number): Promise<TargetResult> {
  return store.write(
    (change) => {
      const target = store.targets.get(number);
      if (target === undefined) return { ok: false, why: 'not_found' };
      if (target.status !== 'parked') return { ok: true };
      const { project, source } = target;
      const released: TargetRow = { ...target, status: 'active', crashes: { ...target.crashes, recent: [], inRow: 0 } };
      store.targets.put(released);
      if (store.projects.get(project)?.status === 'active') scheduleFirst(store, change, released);
      change.tell({ type: 'target.released', project, source, target: number, data: {} });
      change.log({ kind: 'target.release', target: number, epoch: released.epoch });
      return { ok: true };
    },
    { durable: true },
  );
}
