import { setImmediate } from 'node:timers/promises';
import type { AgedRecord } from '../../store/tables/ages.ts';
import type { TargetSchedule } from '../../schedule/levels.ts';
import { type Episode, freshEpisode } from '../../schedule/episode.ts';
import { type FreshRow, verifiedAt } from '../../schedule/fresh-row.ts';
import { type Objective, paceOfObjective } from '../../schedule/time/objective.ts';
import { watchersOf } from '../../schedule/watchers.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import type { Ports } from './ports.ts';

/** An objective of a tracked target, and how the target stands with it. */
export interface TrackedObjective extends Objective {
  /** Missing for the target as a whole. */
  readonly field?: string;
  /** The age that the field should not come to, in ms. */
  readonly objectiveMs: number;
  /** When it was last verified, or the creation of its target. */
  readonly verifiedAt: number;
  readonly episode: Episode;
  /** Set where the objective holds for each record: `verifiedAt` is then that of the oldest. */
  readonly isOfRecords?: true;
}

/** The freshness row of a target; `undefined` if it has no objective or is set aside. A parked target has one. */
export function freshnessOf(target: number, { store }: Pick<Ports, 'store'>): FreshRow | undefined {
  const { fresh, rest } = store().schedule.get(target) ?? {};
  return rest === 'set-aside' ? undefined : fresh;
}

/** The objectives of a target that count now; none where the target is set aside or its source is not loaded. */
export function trackedObjectives(row: TargetRow, deps: Pick<Ports, 'store' | 'schedule'>): TrackedObjective[] {
  const fresh = freshnessOf(row.target, deps);
  const schedule = scheduleOfRow(row, deps);
  if (fresh === undefined || schedule === undefined) return [];
  return schedule.objectives.map(({ field, ...objective }) => ({
    ...(field !== '' && { field }),
    ...objective,
    objectiveMs: paceOfObjective(objective),
    verifiedAt: verifiedAt(fresh, field),
    episode: fresh.episodes?.[field] ?? freshEpisode,
    ...(fresh.records !== undefined && { isOfRecords: true }),
  }));
}

/** Records that are read in one go. */
const readAtOnce = 2_000;

/** Yields the records for which an objective of a target holds, slice by slice, the oldest first, and leaves the event loop free between two. */
export async function* recordsWith(
  target: number,
  { field = '' }: TrackedObjective,
  { store }: Pick<Ports, 'store'>,
): AsyncGenerator<readonly AgedRecord[]> {
  let after: AgedRecord | undefined;
  do {
    const slice = [...store().ages.inOrder(target, field, { after, limit: readAtOnce })];
    yield slice;
    after = slice.length < readAtOnce ? undefined : slice.at(-1);
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
}

/** The schedule of a tracked target after all levels are merged. */
export function scheduleOfRow(row: TargetRow, { schedule }: Pick<Ports, 'schedule'>): TargetSchedule | undefined {
  return schedule.scheduleOf(row.source, watchersOf(row));
}
