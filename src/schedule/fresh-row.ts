import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import { type TargetSchedule, pacedObjective } from './levels.ts';
import { type TargetObjective, countedFrom, deadlineOf, paceOfObjective } from './time/objective.ts';
import { type Openness, opennessOf } from './time/open-hours.ts';
import { type Episode, type EpisodeEvent, freshEpisode, nextCrossing, withAge } from './episode.ts';

/** A target's objectives and when the target and its fields were last verified. Of objectives on records, the instants are those of the oldest record. Instants are wall time. */
export interface FreshRow {
  /** The politeness key: targets of one key and objective share the time that their host has for it. */
  readonly key: string;
  readonly source: string;
  /** The shortest of the target's objectives, in ms. */
  readonly objectiveMs: number;
  /** The longest closed stretch and the open part of the target's hours; missing if they are always open. */
  readonly hours?: Openness;
  /** When it was last verified as a whole, or its creation. */
  readonly verifiedAt: number;
  /** Due scrapes in a row, up to the last one, that verified nothing of what they were due for. */
  readonly misses: number;
  /** When each field with an objective of its own was last verified, or the target's creation if it never was. */
  readonly fields?: Readonly<Record<string, number>>;
  /** Episodes under way by field; that of the whole target under an empty name. */
  readonly episodes?: Readonly<Record<string, Episode>>;
  /** When an age changes its level by itself; missing when none will. */
  readonly crossAt?: number;
  /** Set where the objectives hold for each record. */
  readonly records?: RecordAges;
}

/** The ages of a target's records, as the store keeps them. */
export interface RecordAges {
  /** The pages on which the records stand. */
  readonly pages: number;
  /** The fields whose ages are kept, with an empty name for the record as a whole. */
  readonly fields: readonly string[];
  /** Set while the ages are made anew, since other fields have objectives: the last record that has its ages; -1 while old ones are removed. */
  readonly madeTo?: number;
}

/** The fields of a target that a scrape verified, and whether it verified the target as a whole. */
export interface Verification {
  readonly at: number;
  readonly fields: ReadonlySet<string>;
  /** Whether the target was verified as a whole. */
  readonly whole?: boolean;
}

/** A change of how a target stands with an objective; without a field, with that of the whole target. */
export interface FreshnessEvent extends EpisodeEvent {
  readonly field?: string;
}

/** The facts from which `freshRowOf` makes a target's row, besides its schedule. */
export interface FreshFacts {
  readonly key: string;
  readonly source: string;
  readonly at: number;
  readonly createdAt: number;
  /** When the target was last verified as a whole, if it ever was. */
  readonly verifiedAt: number | undefined;
  /** When a field was last verified; `undefined` where nothing tells. */
  readonly fieldVerifiedAt: (field: string) => number | undefined;
}

/** The row for a target's present objectives, with what `before` knows of them; `undefined` without any. What was never verified is as old as the target. */
export function freshRowOf(
  schedule: TargetSchedule,
  before: FreshRow | undefined,
  { key, source, at, createdAt, verifiedAt: wholeAt, fieldVerifiedAt }: FreshFacts,
): FreshRow | undefined {
  const objectiveMs = shortestObjectiveMs(schedule);
  if (objectiveMs === undefined) return undefined;
  const { objectives } = schedule;
  const hours = opennessOf(schedule.hours);
  const records = schedule.isOfRecords === true ? recordAgesOf(objectives, before?.records) : undefined;
  // A target without records is as fresh as can be.
  const ofTarget = records === undefined ? Math.min(createdAt, at) : at;
  const known = new Map(Object.entries(before?.fields ?? {}));
  const fields = objectives
    .filter(({ field }) => field !== '')
    .map(({ field }) => [field, known.get(field) ?? Math.min(fieldVerifiedAt(field) ?? ofTarget, at)] as const);
  const episodes = Object.entries(before?.episodes ?? {}).filter(([name]) =>
    objectives.some(({ field }) => field === name),
  );
  const fresh: FreshRow = {
    key,
    source,
    objectiveMs,
    ...defined({ hours }),
    verifiedAt: before?.verifiedAt ?? (records === undefined ? Math.min(wholeAt ?? ofTarget, at) : at),
    misses: before?.misses ?? 0,
    ...defined({ records }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
    ...(episodes.length > 0 && { episodes: Object.fromEntries(episodes) }),
  };
  return withCrossing(fresh, objectives, at);
}

function recordAgesOf(objectives: readonly TargetObjective[], before: RecordAges | undefined): RecordAges {
  const fields = objectives.map(({ field }) => field);
  if (before !== undefined && isDeepStrictEqual(before.fields, fields)) return before;
  return { pages: before?.pages ?? 0, fields, madeTo: -1 };
}

/** Whether the ages of a target's records are not all known, as other fields have objectives now. */
export function isMakingAges({ records }: FreshRow): boolean {
  return records?.madeTo !== undefined;
}

/**
 * The row of objectives on records, brought up to the oldest record of each.
 *
 * @param oldestAt - when the oldest record was last verified, as a whole under an empty name; `undefined` where there is none.
 */
export function withOldest(fresh: FreshRow, at: number, oldestAt: (field: string) => number | undefined): FreshRow {
  const fields = Object.keys(fresh.fields ?? {}).map((field) => [field, oldestAt(field) ?? at] as const);
  return {
    ...fresh,
    verifiedAt: oldestAt('') ?? at,
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

/** The shortest age that a target should not come to, by its objectives and by its pace; `undefined` without any. */
export function shortestObjectiveMs(schedule: TargetSchedule): number | undefined {
  const shortest = Math.min(pacedMs(schedule), ...schedule.objectives.map(paceOfObjective));
  return shortest === Infinity ? undefined : shortest;
}

/** The fields that a source's pulse verifies, and the interval of its rounds in ms. */
export interface PulsedFields {
  readonly fields: ReadonlySet<string>;
  readonly everyMs: number;
}

/**
 * Returns the shortest objective that scrapes must keep, in ms; `undefined` without any. A pulse keeps the objectives of the fields that it
 * verifies, except those that are not longer than its interval.
 */
export function shortestScrapedMs(schedule: TargetSchedule, pulse: PulsedFields): number | undefined {
  const objectives = schedule.objectives.filter(
    (objective) => !isVerifiedBy(pulse.fields, objective) || paceOfObjective(objective) <= pulse.everyMs,
  );
  return shortestObjectiveMs({ ...schedule, objectives });
}

/** Whether an observation of these fields verifies the objective. That of a whole target takes a scrape. */
function isVerifiedBy(fields: ReadonlySet<string>, { field }: TargetObjective): boolean {
  return field !== '' && fields.has(field);
}

/** The objective with the earliest deadline: its age limit, and when its field or target was last verified. */
export function firstDeadline(
  fresh: FreshRow,
  schedule: TargetSchedule,
): { readonly verifiedAt: number; readonly objectiveMs: number } {
  const paced = pacedMs(schedule);
  const all = schedule.objectives.map((objective) => ({
    verifiedAt: countedFrom(verifiedAt(fresh, objective.field), objective),
    objectiveMs: objective.field === '' ? Math.min(paced, paceOfObjective(objective)) : paceOfObjective(objective),
  }));
  return all.reduce(
    (a, b) => (deadlineOf(b.verifiedAt, b.objectiveMs) < deadlineOf(a.verifiedAt, a.objectiveMs) ? b : a),
    all[0] ?? { verifiedAt: fresh.verifiedAt, objectiveMs: fresh.objectiveMs },
  );
}

function pacedMs({ pace }: TargetSchedule): number {
  return paceOfObjective(pacedObjective(pace) ?? {});
}

/** When a field was last verified, or the target as a whole under an empty name; the creation of what never was. */
export function verifiedAt({ verifiedAt: whole, fields = {} }: FreshRow, field: string): number {
  return (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? whole;
}

/** The row after something was verified; an observation that is older than what is known changes nothing. */
export function withVerification(
  fresh: FreshRow,
  objectives: readonly TargetObjective[],
  { at, fields: verified, whole = false }: Verification,
): FreshRow {
  const before = new Map(Object.entries(fresh.fields ?? {}));
  const named = objectives.filter((objective) => isVerifiedBy(verified, objective));
  const fields = Object.fromEntries(named.map(({ field }) => [field, Math.max(at, before.get(field) ?? at)]));
  return {
    ...fresh,
    ...(whole && { verifiedAt: Math.max(at, fresh.verifiedAt) }),
    ...(named.length > 0 && { fields: { ...fresh.fields, ...fields } }),
  };
}

/**
 * The row after a scrape. A due scrape that verified nothing of what it was due for is counted, so that the next re-check waits longer.
 *
 * @param isDue - whether the scrape was due and not ended by its source's hours.
 */
export function withMisses(fresh: FreshRow, schedule: TargetSchedule, startedAt: number, isDue: boolean): FreshRow {
  if (firstDeadline(fresh, schedule).verifiedAt >= startedAt) return { ...fresh, misses: 0 };
  return isDue ? { ...fresh, misses: fresh.misses + 1 } : fresh;
}

/** Brings a row's episodes up to the instant `at`, and returns an event for each episode that begins, breaks its objective or ends. */
export function withAges(
  fresh: FreshRow,
  objectives: readonly TargetObjective[],
  at: number,
): { readonly fresh: FreshRow; readonly events: readonly FreshnessEvent[] } {
  const events: FreshnessEvent[] = [];
  const episodes: Record<string, Episode> = {};
  let crossAt = Infinity;
  for (const { field, ...objective } of objectives) {
    const seenAt = countedFrom(verifiedAt(fresh, field), objective);
    const { episode, event } = withAge(fresh.episodes?.[field] ?? freshEpisode, seenAt, objective, at);
    if (event !== undefined) events.push({ ...event, ...(field !== '' && { field }) });
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
    events,
  };
}

/** The row with the instant at which the planner has to look at its ages: at once if an event is to be told. */
function withCrossing(fresh: FreshRow, objectives: readonly TargetObjective[], at: number): FreshRow {
  if (isMakingAges(fresh)) return { ...fresh, crossAt: at };
  const { fresh: aged, events } = withAges(fresh, objectives, at);
  if (events.length === 0) return aged;
  const { crossAt: _, ...rest } = fresh;
  return { ...rest, crossAt: at };
}

/** The row with nothing verified later than `at`: the clock may have been set back. */
export function verifiedBy(fresh: FreshRow, at: number): FreshRow {
  const fields = Object.entries(fresh.fields ?? {});
  if (fresh.verifiedAt <= at && fields.every(([, seenAt]) => seenAt <= at)) return fresh;
  const notLater = fields.map(([field, seenAt]) => [field, Math.min(seenAt, at)] as const);
  return {
    ...fresh,
    verifiedAt: Math.min(fresh.verifiedAt, at),
    ...(fields.length > 0 && { fields: Object.fromEntries(notLater) }),
  };
}
