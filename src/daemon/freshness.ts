import { agesOf, type Mark, marksOf } from '../definition/promise.ts';
import type { TargetSchedule } from '../definition/schedule.ts';
import { type Episode, freshEpisode, nextCrossing, withAge } from '../schedule/episode.ts';
import { deadlineOf, paceOfObjective } from '../schedule/objective.ts';
import { verifiedAt } from '../store/fresh.ts';
import type { FreshRow } from '../store/schedule-row.ts';
import type { FreshnessEvent, Sighted } from '../store/store.ts';

/** The age that a target should not come to, of all that is promised of it and of what sets its pace. */
export function recheckMs(schedule: TargetSchedule): number {
  return Math.min(pacedMs(schedule), ...marksOf(schedule).map(({ objective }) => paceOfObjective(objective)));
}

/** What falls due first, and how old it may become. */
export function firstDeadline(
  fresh: FreshRow,
  schedule: TargetSchedule,
): { readonly verifiedAt: number; readonly objectiveMs: number } {
  const paced = pacedMs(schedule);
  const all = marksOf(schedule).map(({ field, objective }) => ({
    verifiedAt: verifiedAt(fresh, field),
    objectiveMs: field === '' ? Math.min(paced, paceOfObjective(objective)) : paceOfObjective(objective),
  }));
  return all.reduce(
    (a, b) => (deadlineOf(b.verifiedAt, b.objectiveMs) < deadlineOf(a.verifiedAt, a.objectiveMs) ? b : a),
    all[0] ?? { verifiedAt: fresh.verifiedAt, objectiveMs: fresh.objectiveMs },
  );
}

/** The age by which a target is paced, where an objective does that. */
function pacedMs({ pace }: TargetSchedule): number {
  return pace?.kind === 'objective' ? paceOfObjective(agesOf(pace) ?? {}) : Infinity;
}

/** A target's freshness after something was seen; an observation that is older than what is known changes nothing. */
export function withSight(
  fresh: FreshRow,
  marks: readonly Mark[],
  { at, fields: seen, whole = false }: Sighted,
): FreshRow {
  const before = new Map(Object.entries(fresh.fields ?? {}));
  const named = marks.filter(({ field }) => field !== '' && seen.has(field));
  const fields = Object.fromEntries(named.map(({ field }) => [field, Math.max(at, before.get(field) ?? at)]));
  return {
    ...fresh,
    ...(whole && { verifiedAt: Math.max(at, fresh.verifiedAt) }),
    ...(named.length > 0 && { fields: { ...fresh.fields, ...fields } }),
  };
}

/** Where the ages put a target at an instant, and what is to be told of it: of each episode its begin, its breach and its end. */
export function withAges(
  fresh: FreshRow,
  marks: readonly Mark[],
  at: number,
): { readonly fresh: FreshRow; readonly told: readonly FreshnessEvent[] } {
  const told: FreshnessEvent[] = [];
  const episodes: Record<string, Episode> = {};
  let crossAt = Infinity;
  for (const { field, objective } of marks) {
    const seenAt = verifiedAt(fresh, field);
    const { episode, event } = withAge(fresh.episodes?.[field] ?? freshEpisode, seenAt, objective, at);
    if (event !== undefined) told.push({ ...event, ...(field !== '' && { field }) });
    if (episode.level !== 'fresh') episodes[field] = episode;
    crossAt = Math.min(crossAt, nextCrossing(episode, seenAt, objective) ?? Infinity);
  }
  const { episodes: _episodes, crossAt: _crossAt, ...rest } = fresh;
  return {
    fresh: {
      ...rest,
      ...(Object.keys(episodes).length > 0 && { episodes }),
      ...(crossAt < Infinity && { crossAt }),
    },
    told,
  };
}

/** When the planner has to look at a target's ages: now where that would tell something. */
export function withCrossing(fresh: FreshRow, marks: readonly Mark[], at: number): FreshRow {
  const { fresh: aged, told } = withAges(fresh, marks, at);
  if (told.length === 0) return aged;
  const { crossAt: _, ...rest } = fresh;
  return { ...rest, crossAt: at };
}
