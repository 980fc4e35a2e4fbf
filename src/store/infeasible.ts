import type { Infeasible } from '../definition/feasible.ts';
import type { FreshRow } from './schedule-row.ts';
import type { Change, Store } from './store.ts';

const settingKey = 'infeasible';

/** Objectives that their hosts do not allow, as they were found last. */
export function infeasibleOf({ settings }: Pick<Store, 'settings'>): readonly Infeasible[] {
  return (settings.get(settingKey) ?? []) as readonly Infeasible[];
}

/** Whether what is promised of a target is among them. */
export function isInfeasible(store: Pick<Store, 'settings'>, { source, key, objectiveMs }: FreshRow): boolean {
  return infeasibleOf(store).some(
    (each) => each.source === source && each.key === key && each.objectiveMs === objectiveMs,
  );
}

/** Takes down what was found now, and tells of each that is new. */
export async function keepInfeasible(store: Store, found: readonly Infeasible[]): Promise<void> {
  const known = infeasibleOf(store);
  const names = new Set(known.map(nameOf));
  if (JSON.stringify(found) === JSON.stringify(known)) return;
  await store.write((change: Change) => {
    for (const each of found) {
      const { source, ...data } = each;
      if (!names.has(nameOf(each))) change.tell({ type: 'objective.infeasible', source, data });
    }
    store.settings.put(settingKey, found);
  });
}

function nameOf({ source, key, objectiveMs }: Infeasible): string {
  return JSON.stringify([source, key, objectiveMs]);
}
