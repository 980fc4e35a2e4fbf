import type { ScheduleLevel, TargetSchedule } from '../../definition/schedule.ts';
import { type Episode, freshEpisode } from '../../schedule/episode.ts';
import { type Objective, paceOfObjective } from '../../schedule/objective.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { HandlerDeps } from './deps.ts';

/** A freshness that is promised, and how it stands. */
export interface Promised extends Objective {
  /** Missing for the target as a whole. */
  readonly field?: string;
  /** The age that it should not come to. */
  readonly objectiveMs: number;
  readonly verifiedAt: number;
  readonly episode: Episode;
}

/** Each freshness that is promised of a target which is scraped. */
export function promisesOf(row: TargetRow, deps: Pick<HandlerDeps, 'store' | 'scheduleOf'>): Promised[] {
  const fresh = deps.store().schedule.get(row.target)?.fresh;
  const schedule = scheduleOfRow(row, deps);
  if (fresh === undefined || schedule === undefined) return [];
  const { pace, objectives } = schedule;
  const whole = agesOf(objectives) ?? (pace?.kind === 'objective' ? agesOf(pace) : undefined);
  const promised = (objective: Objective, field: string | undefined): Promised => ({
    ...(field !== undefined && { field }),
    ...objective,
    objectiveMs: paceOfObjective(objective),
    verifiedAt: (field === undefined ? undefined : fresh.fields?.[field]) ?? fresh.verifiedAt,
    episode: fresh.episodes?.[field ?? ''] ?? freshEpisode,
  });
  return [
    ...(whole === undefined ? [] : [promised(whole, undefined)]),
    ...Object.entries(objectives.fields ?? {}).flatMap(([field, ages]) => {
      const objective = agesOf(ages);
      return objective === undefined ? [] : [promised(objective, field)];
    }),
  ];
}

/** What all levels say of a target that is tracked. */
export function scheduleOfRow(
  { source, project, schedule }: TargetRow,
  { store, scheduleOf }: Pick<HandlerDeps, 'store' | 'scheduleOf'>,
): TargetSchedule | undefined {
  const level = store().projects.get(project)?.schedule;
  return scheduleOf({ source, ...(schedule && { target: schedule }), ...(level && { project: level }) });
}

/** Ages of the definition files in the words of the schedule; nothing without any. */
export function agesOf({ warnAfter, errorAfter }: NonNullable<ScheduleLevel['objective']>): Objective | undefined {
  if (warnAfter === undefined && errorAfter === undefined) return undefined;
  return {
    ...(warnAfter !== undefined && { warnAfterMs: warnAfter }),
    ...(errorAfter !== undefined && { errorAfterMs: errorAfter }),
  };
}
