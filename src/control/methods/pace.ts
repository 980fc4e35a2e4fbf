import * as z from 'zod';
import { ContinuousInput, longestAfter } from '../../definition/continuous.ts';
import { IntervalMs, SpanMs } from '../../definition/duration.ts';
import { checkAges, fieldsOf } from '../../definition/objective.ts';
import { OpenHoursInput } from '../../definition/open-hours.ts';
import { scheduleIssues, type ScheduleLevel, scheduleShape } from '../../definition/schedule.ts';

const ages = {
  /** Older than this is told as a warning; it sets the pace when it is given. */
  warnAfterMs: IntervalMs.exactOptional(),
  /** Older than this breaks the promise. */
  errorAfterMs: IntervalMs.exactOptional(),
};

/** How old what is known may become; at least one of the two. */
export const AgesInput = z.strictObject(ages).superRefine(checkAges('warnAfterMs', 'errorAfterMs'));
export type AgesInput = z.infer<typeof AgesInput>;

/** When to scrape, as a target and a project say it; of what sets the pace at most one. */
export const scheduleInputShape = {
  everyMs: IntervalMs.exactOptional(),
  /** Minute, hour, day, month and weekday. */
  cron: scheduleShape.cron,
  /** By whose clocks the cron pattern goes. Default: UTC. */
  zone: scheduleShape.zone,
  /** By priority; `true` stands for all defaults. */
  tokens: scheduleShape.tokens,
  continuous: z.union([z.literal(true), ContinuousInput]).exactOptional(),
  objective: AgesInput.exactOptional(),
  initialDelayMs: SpanMs.exactOptional(),
  /** When it may be asked. */
  available: z.array(OpenHoursInput).min(1).max(480).readonly().exactOptional(),
  /** The freshness that is promised, whatever sets the pace. */
  objectives: z
    .strictObject({ ...ages, fields: fieldsOf(AgesInput).exactOptional() })
    .superRefine(checkAges('warnAfterMs', 'errorAfterMs', 'fields'))
    .exactOptional(),
};
export type ScheduleInput = z.infer<z.ZodObject<typeof scheduleInputShape>>;

/** Refuses two paces at once, and a zone for nothing. */
export function checkScheduleInput(given: ScheduleInput, context: z.core.$RefinementCtx): void {
  const { everyMs: every, ...rest } = given;
  for (const { path, message } of scheduleIssues({ ...rest, ...(every !== undefined && { every }) }))
    context.addIssue({ code: 'custom', path: [...path], message, input: given });
}

/** What was asked for, in the words of the definition files. */
export function levelOf({ everyMs, cron, zone: zoneOfCron, ...given }: ScheduleInput): ScheduleLevel {
  const { tokens, continuous, objective, initialDelayMs, available, objectives } = given;
  return {
    ...(everyMs !== undefined && { every: everyMs }),
    ...(cron !== undefined && { cron }),
    ...(zoneOfCron !== undefined && { zone: zoneOfCron }),
    ...(tokens !== undefined && { tokens }),
    ...(continuous !== undefined && { continuous: continuousLevel(continuous) }),
    ...(objective !== undefined && { objective: agesLevel(objective) }),
    ...(initialDelayMs !== undefined && { initialDelay: initialDelayMs }),
    ...(available !== undefined && { available: available.map((hours) => ({ ...hours, days: [...hours.days] })) }),
    ...(objectives !== undefined && { objectives: objectivesLevel(objectives) }),
  };
}

function continuousLevel(given: NonNullable<ScheduleInput['continuous']>): NonNullable<ScheduleLevel['continuous']> {
  const { sleepMs, longestMs } = given === true ? ContinuousInput.parse({}) : given;
  return { sleep: sleepMs, longest: longestMs ?? longestAfter(sleepMs) };
}

function agesLevel({ warnAfterMs, errorAfterMs }: AgesInput): NonNullable<ScheduleLevel['objective']> {
  return {
    ...(warnAfterMs !== undefined && { warnAfter: warnAfterMs }),
    ...(errorAfterMs !== undefined && { errorAfter: errorAfterMs }),
  };
}

function objectivesLevel({
  fields,
  ...ages
}: NonNullable<ScheduleInput['objectives']>): NonNullable<ScheduleLevel['objectives']> {
  return {
    ...agesLevel(ages),
    ...(fields !== undefined && {
      fields: Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, agesLevel(each)])),
    }),
  };
}
