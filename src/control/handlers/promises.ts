import { marksOf } from '../../definition/promise.ts';
import type { TargetSchedule } from '../../definition/schedule.ts';
import { type Episode, freshEpisode } from '../../schedule/episode.ts';
import { type Objective, paceOfObjective } from '../../schedule/objective.ts';
import { verifiedAt } from '../../store/fresh.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { HandlerDeps } from './deps.ts';

/** A freshness that is promised, and how it stands. */
export interface Promised extends Objective {
  /** Missing for the target as a whole. */
  readonly field?: string;
  /** The age that it should not come to. */
  readonly objectiveMs: number;
  /** When it was last verified, or the creation of its target. */
  readonly verifiedAt: number;
  readonly episode: Episode;
}

/** Each freshness that is promised of a target and counts now: also of one that is parked, but of none that nobody wants scraped. */
export function promisesOf(row: TargetRow, deps: Pick<HandlerDeps, 'store' | 'scheduleOf'>): Promised[] {
  const { fresh, rest } = deps.store().schedule.get(row.target) ?? {};
  const schedule = scheduleOfRow(row, deps);
  if (fresh === undefined || schedule === undefined || rest === 'set-aside') return [];
  return marksOf(schedule).map(({ field, objective }) => ({
    ...(field !== '' && { field }),
    ...objective,
    objectiveMs: paceOfObjective(objective),
    verifiedAt: verifiedAt(fresh, field),
    episode: fresh.episodes?.[field] ?? freshEpisode,
  }));
}

/** What all levels say of a target that is tracked. */
export function scheduleOfRow(
  { source, project, schedule }: TargetRow,
  { store, scheduleOf }: Pick<HandlerDeps, 'store' | 'scheduleOf'>,
): TargetSchedule | undefined {
  const level = store().projects.get(project)?.schedule;
  return scheduleOf({ source, ...(schedule && { target: schedule }), ...(level && { project: level }) });
}
