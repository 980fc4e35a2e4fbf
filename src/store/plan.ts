import type { Bucket } from '../schedule/tokens.ts';
import { scheduled } from './ending.ts';
import type { ProjectRow } from './rows.ts';
import type { PaceRow, ScheduleRow } from './schedule-row.ts';
import type { Store } from './store.ts';

export type TokensRow = Extract<PaceRow, { readonly kind: 'tokens' }>;

/** What a day has for one target. */
export interface PlannedTarget {
  readonly target: number;
  /** As its row had it when it was planned. */
  readonly since: number;
  readonly bucket: Bucket;
  readonly turns: readonly number[];
  /** When the next day begins. */
  readonly planAt: number;
}

/**
 * Writes a part of a day's plan: each target's turns with what they cost. One that had a turn meanwhile, or another pace, or
 * rests, is left to be planned anew. Returns the projects of which something is due at another time than before.
 */
export function writePlan(store: Store, all: readonly PlannedTarget[]): Promise<ReadonlySet<string>> {
  return store.write((change) => {
    const projects = new Set<string>();
    const once: Store = { ...store, projects: { ...store.projects, get: projectsOnce(store) } };
    for (const { target: number, since, bucket, turns, planAt } of all) {
      const row = store.schedule.get(number);
      const target = store.targets.get(number);
      if (row?.pace.kind !== 'tokens' || target === undefined || row.rest !== undefined || row.since !== since)
        continue;
      const planned: ScheduleRow = { ...row, pace: { ...row.pace, bucket, planned: turns, planAt } };
      const next = store.scheduling.next(target, planned, scheduled(once, change, target));
      store.schedule.set(next);
      if (next.dueAt !== row.dueAt) projects.add(target.project);
    }
    return projects;
  });
}

/** Reads each project once: one of thousands of targets is a large row. For what is done in one go, within which none changes. */
export function projectsOnce({ projects }: Pick<Store, 'projects'>): (id: string) => ProjectRow | undefined {
  const known = new Map<string, ProjectRow>();
  return (id) => {
    const project = known.get(id) ?? projects.get(id);
    if (project !== undefined) known.set(id, project);
    return project;
  };
}
