import { rssItem } from '../extract/document/rss.ts';
import type { Objective } from '../schedule/objective.ts';
import { undeclared } from './near-name.ts';
import type { ScheduleLevel, TargetSchedule } from './schedule.ts';
import type { Source } from './source.ts';

/** What has to be fresh of a target: the whole of it, under an empty name, or one field. */
export interface Mark {
  readonly field: string;
  readonly objective: Objective;
}

/** What all levels together promise of a target. */
export function marksOf({ pace, objectives: { fields = {}, ...whole } }: TargetSchedule): Mark[] {
  const objective = agesOf(whole) ?? (pace?.kind === 'objective' ? agesOf(pace) : undefined);
  return [
    ...(objective === undefined ? [] : [{ field: '', objective }]),
    ...Object.entries(fields).flatMap(([field, ages]) => {
      const own = agesOf(ages);
      return own === undefined ? [] : [{ field, objective: own }];
    }),
  ];
}

/** Ages of the definition files in the words of the schedule; nothing without any. */
export function agesOf({ warnAfter, errorAfter }: NonNullable<ScheduleLevel['objective']>): Objective | undefined {
  if (warnAfter === undefined && errorAfter === undefined) return undefined;
  return {
    ...(warnAfter !== undefined && { warnAfterMs: warnAfter }),
    ...(errorAfter !== undefined && { errorAfterMs: errorAfter }),
  };
}

/** What levels say of a target on a source: of the fields that a project promises, those that this source has. */
export function keptBy(source: Source | undefined, schedule: TargetSchedule): TargetSchedule {
  const { fields, ...ages } = schedule.objectives;
  if (source === undefined || fields === undefined) return schedule;
  const declared = fieldsOf(source);
  const kept = Object.entries(fields).filter(([field]) => declared.has(field));
  return { ...schedule, objectives: { ...ages, ...(kept.length > 0 && { fields: Object.fromEntries(kept) }) } };
}

/** What declares fields: a source, or what can be made out of one. */
interface Declaring {
  readonly provider?: string | undefined;
  readonly records: Readonly<Record<string, { readonly fields: object }>>;
}

/** Promised fields that no record of these sources has, each with what is wrong. */
export function* undeclaredPromises(
  fields: object,
  sources: readonly Declaring[],
): Generator<{ readonly field: string; readonly message: string }> {
  const declared = new Set(sources.flatMap((source) => [...fieldsOf(source)]));
  for (const field of Object.keys(fields))
    if (!declared.has(field)) yield { field, message: undeclared('field', field, [...declared]) };
}

function fieldsOf({ provider, records }: Declaring): ReadonlySet<string> {
  const own = Object.values(records).flatMap(({ fields }) => Object.keys(fields));
  // A feed has fields without declaring any.
  const isPlainFeed = provider === 'rss' && own.length === 0;
  return new Set(isPlainFeed ? rssItem.fields.map(({ name }) => name) : own);
}
