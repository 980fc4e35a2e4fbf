import { defined } from '../defined.ts';
import { projectsOf } from '../schedule/watchers.ts';
import { endTarget } from './ending.ts';
import { contextOf } from './schedule.ts';
import { isFinished } from './tables/project-status.ts';
import type { TargetRow } from './tables/rows.ts';
import type { Change, Store } from './store.ts';
import { leaveTickets } from './tickets.ts';

/** Whether a target's records say that it is finished. */
export function isOver(store: Store, change: Change, target: TargetRow): boolean {
  return (endOf(store, change, target) ?? Infinity) <= change.at;
}

function endOf(store: Store, change: Change, target: TargetRow): number | undefined {
  return store.scheduling.endsAt(target, contextOf(store, change, target));
}

/** Finishes a target: it is not scraped any more. Stores the target and tells which projects are finished by it. */
export function finishTarget(store: Store, change: Change, target: TargetRow): TargetRow {
  const reason = { status: 'cancelled', failure: { code: 'finished', message: 'the target is finished' } } as const;
  const finished: TargetRow = { ...endTarget(store, change, target, reason), status: 'finished' };
  store.targets.put(finished);
  leaveTickets(store, change, finished);
  for (const id of projectsOf(finished)) {
    const project = store.projects.get(id);
    if (project?.status === 'active' && isFinished(store, project))
      change.tell({ type: 'project.finished', projects: [id], data: {} });
  }
  return finished;
}

/** Finishes an active or parked target if its records say so, or writes when they will. Returns the target as it is then. */
export function finishIfOver(store: Store, change: Change, target: TargetRow): TargetRow {
  const endsAt = endOf(store, change, target);
  if (endsAt !== undefined && endsAt <= change.at) return finishTarget(store, change, target);
  const row = store.schedule.get(target.target);
  if (row !== undefined && row.endsAt !== endsAt) {
    const { endsAt: _, ...rest } = row;
    store.schedule.set({ ...rest, ...defined({ endsAt }) });
  }
  return target;
}

/**
 * Looks at a target when its end has come, without a scrape, and finishes it if its records still say so. Resolves with
 * whether the target is finished. Rejects with `StoreFullError` when the store has no room.
 */
export function finishAtEnd(store: Store, number: number): Promise<boolean> {
  return store.write((change) => {
    const target = store.targets.get(number);
    if (target?.status !== 'active' && target?.status !== 'parked') return false;
    return finishIfOver(store, change, target).status === 'finished';
  });
}
