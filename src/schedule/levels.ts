import type * as z from 'zod';
import { defined } from '../defined.ts';
import { Duration, SpanMs } from '../schema/duration.ts';
import type { Issue } from '../schema/expected.ts';
import { Objectives, ObjectivesInput, objectivesFromInput } from './time/ages.ts';
import { lowest, objectivesAt, type ObjectivesNow, type RestingObjective, shortestAges } from './time/in-season.ts';
import type { OpenHours } from './time/open-hours.ts';
import type { Objective, TargetObjective } from './time/objective.ts';
import { Available, AvailableInput } from './time/open-hours-schema.ts';
import { allPaces, type GivenPace, paceFileShape, paceInputShape, paceOf } from './pace/all.ts';

/** The schedule keys of a target, a project or a source in a file. At most one key of `paceKeys` may be given. */
export const scheduleShape = {
  ...paceFileShape,
  /** From the creation of a target to its first scrape. */
  initialDelay: Duration.exactOptional(),
  /** When it may be asked. Default: always. */
  available: Available.exactOptional(),
  /** The freshness that must be kept, whatever sets the pace. */
  objectives: Objectives.exactOptional(),
};

/** The schedule that one level gives: a target, its project, its source or the daemon. */
export type ScheduleLevel = z.infer<z.ZodObject<typeof scheduleShape>>;

/** The schedule keys of a target or a project in a control method. At most one key of `paceKeys` may be given. */
export const scheduleInputShape = {
  ...paceInputShape,
  initialDelayMs: SpanMs.describe('The time from the creation of a target to its first scrape.').exactOptional(),
  available: AvailableInput.describe(
    'The hours in which sites may be asked; any of them opens. Default: always.',
  ).exactOptional(),
  objectives: ObjectivesInput.describe(
    'The freshness that must be kept, whatever sets the pace; a list where some hold between two days only.',
  ).exactOptional(),
};
export type ScheduleInput = z.infer<z.ZodObject<typeof scheduleInputShape>>;

/** Keys of a file that choose a pace. */
export const paceKeys: readonly string[] = allPaces.map(({ key }) => key);

/** Keys of a file that choose a pace or set its options. */
export const paceFileKeys: readonly string[] = Object.keys(paceFileShape);

/** Keys whose values are durations in a file, and milliseconds in the program. */
export const durationKeys: ReadonlySet<string> = new Set([
  'initialDelay',
  'warnAfter',
  'errorAfter',
  ...allPaces.flatMap(({ durations }) => durations),
]);

/** The schedule of a target after all levels are merged, and those of all its watchers. */
export interface TargetSchedule {
  /** Missing when no level gives one. */
  readonly pace?: GivenPace;
  readonly initialDelayMs?: number;
  /** When the target may be asked; empty for always. */
  readonly hours: readonly OpenHours[];
  /** The objective of the whole target first, if it has one, then those of its fields. */
  readonly objectives: readonly TargetObjective[];
  /** Objectives that do not hold now, as it is not their season. */
  readonly resting?: readonly RestingObjective[];
  /** When an objective begins or ends to hold. */
  readonly seasonAt?: number;
  /** Set where the objectives hold for each record of the target by itself, and not for the target: of lists and crawls. */
  readonly isOfRecords?: true;
}

/** Yields conflicts between the keys of one level, such as two paces at once. */
export function* scheduleIssues(level: Readonly<Record<string, unknown>>): Generator<Issue> {
  const [first, ...others] = paceKeys.filter((key) => level[key] !== undefined);
  for (const key of others)
    yield { path: [key], message: `expected one of ${paceKeys.join(', ')}, got "${key}" beside "${first}"` };
  for (const pace of allPaces) yield* pace.issues?.(level) ?? [];
}

/** Refuses what is wrong between the keys of one level of a file, as the last check of its schema. */
export function checkSchedule(level: ScheduleLevel, context: z.core.$RefinementCtx): void {
  for (const { path, message } of scheduleIssues(level))
    context.addIssue({ code: 'custom', path: [...path], message, input: level });
}

/** Refuses what is wrong between the keys of a control method's input, as the last check of its schema. */
export function checkScheduleInput(input: ScheduleInput, context: z.core.$RefinementCtx): void {
  for (const { path, message } of scheduleIssues({ ...levelOf(input) }))
    context.addIssue({ code: 'custom', path: [...path], message, input });
}

/** A control method's input as a file would say it. */
export function levelOf({ initialDelayMs, available, objectives, ...pace }: ScheduleInput): ScheduleLevel {
  return {
    ...allPaces.reduce<ScheduleLevel>((level, each) => ({ ...level, ...each.fromInput(pace) }), {}),
    ...defined({
      initialDelay: initialDelayMs,
      available: available === undefined ? undefined : available.map((hours) => ({ ...hours, days: [...hours.days] })),
      objectives: objectives === undefined ? undefined : objectivesFromInput(objectives),
    }),
  };
}

/**
 * What the levels say of a target at an instant, the nearest first: the target, its project, its source, the daemon. The nearest pace
 * stands alone, so do the nearest hours and the nearest ages of the whole target that hold then; each field has the ages of the nearest
 * level that has some for it then.
 */
export function scheduleOf(levels: readonly ScheduleLevel[], at: number): TargetSchedule {
  const objectives = levels.flatMap((level) =>
    level.objectives === undefined ? [] : [objectivesAt(level.objectives, at)],
  );
  const resting = objectives.flatMap((each) => each.resting);
  const seasonAt = Math.min(...objectives.map(({ changesAt }) => changesAt));
  const pace = nearest(levels, (level) => nearest(allPaces, (each) => each.given(level)));
  const initialDelayMs = nearest(levels, ({ initialDelay }) => initialDelay);
  const hours = nearest(levels, ({ available }) => available) ?? [];
  return {
    ...defined({ pace, initialDelayMs }),
    hours,
    objectives: objectivesOf(objectives, pace),
    ...(resting.length > 0 && { resting }),
    ...(seasonAt < Infinity && { seasonAt }),
  };
}

/**
 * What several watchers of one target want together: the pace of the one that asks most often, or the first of these; the hours of all; and of
 * each objective the shortest ages.
 */
export function sharedSchedule(schedules: readonly TargetSchedule[]): TargetSchedule {
  const [first, ...others] = new Set(schedules);
  if (first === undefined || others.length === 0) return first ?? { hours: [], objectives: [] };
  const all = [first, ...others];
  const paces = all.flatMap(({ pace }) => pace ?? []);
  const pace = paces.reduce<GivenPace | undefined>(
    (most, each) => (most === undefined || turnsADay(each) > turnsADay(most) ? each : most),
    undefined,
  );
  const isOpen = all.some(({ hours }) => hours.length === 0);
  const hours = new Map(all.flatMap((each) => each.hours.map((one) => [JSON.stringify(one), one])));
  const objectives = Map.groupBy(
    all.flatMap((each) => each.objectives),
    ({ field }) => field,
  );
  const resting = all.flatMap((each) => each.resting ?? []);
  return {
    ...first,
    ...defined({
      pace,
      initialDelayMs: lowest(all.map(({ initialDelayMs }) => initialDelayMs)),
      seasonAt: lowest(all.map(({ seasonAt }) => seasonAt)),
      resting: resting.length > 0 ? resting : undefined,
    }),
    hours: isOpen ? [] : [...hours.values()],
    objectives: Array.from(objectives, ([field, each]) => ({ field, ...shortestAges(each) })).sort(
      (a, b) => Number(a.field !== '') - Number(b.field !== ''),
    ),
  };
}

function turnsADay(pace: GivenPace): number {
  return paceOf(pace).turnsADay(pace);
}

/** The age to which a pace keeps its whole target, where that is what sets the pace. */
export function pacedObjective(pace: GivenPace | undefined): Objective | undefined {
  if (pace?.kind !== 'objective') return undefined;
  const { kind: _, ...objective } = pace;
  return objective;
}

function objectivesOf(levels: readonly ObjectivesNow[], pace: GivenPace | undefined): TargetObjective[] {
  const paced = pacedObjective(pace);
  const ofPace = paced === undefined ? [] : [{ field: '', ...paced }];
  const fields = new Map<string, TargetObjective>();
  for (const objective of [...levels.map(({ objectives }) => objectives), ofPace].flat())
    if (!fields.has(objective.field)) fields.set(objective.field, objective);
  return [...fields.values()].sort((a, b) => Number(a.field !== '') - Number(b.field !== ''));
}

function nearest<L, T>(levels: readonly L[], of: (level: L) => T | undefined): T | undefined {
  for (const level of levels) {
    const found = of(level);
    if (found !== undefined) return found;
  }
  return undefined;
}
