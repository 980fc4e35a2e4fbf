import { scheduled } from './ending.ts';
import type { TargetRow } from './rows.ts';
import type { FreshRow } from './schedule-row.ts';
import type { Change, Sighted, Store } from './store.ts';

/**
 * Takes down that fields of a target, or all of it, were seen to be so, and tells what follows for its objectives; without
 * `seen`, what its ages alone do. Does nothing to a target without objectives. Runs within a transaction.
 */
export function freshen(store: Store, change: Change, target: TargetRow, seen?: Sighted): void {
  const row = store.schedule.get(target.target);
  if (row?.fresh === undefined) return;
  const found = store.scheduling.verified(target, row, scheduled(store, change, target), seen);
  store.schedule.set(found.row);
  const { project, source } = target;
  for (const { kind, ...data } of found.told)
    change.tell({ type: `objective.${kind}`, project, source, target: target.target, data });
}

/** When something of a target was last verified, or its creation; all of it under an empty name. */
export function verifiedAt({ verifiedAt: whole, fields = {} }: FreshRow, field: string): number {
  return (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? whole;
}

/** Tells what ages have come to by themselves, of up to `limit` targets; how many these were. */
export function tellAges(store: Store, limit: number): Promise<number> {
  return store.write((change) => {
    const rows = [...store.schedule.byCrossing({ before: change.at + 1, limit })];
    for (const row of rows) {
      const target = store.targets.get(row.target);
      if (target === undefined) store.schedule.remove(row.target);
      else freshen(store, change, target);
    }
    return rows.length;
  });
}
