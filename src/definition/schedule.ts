import * as z from 'zod';
import type { OpenHours } from '../schedule/available.ts';
import { cronFault } from '../schedule/cron.ts';
import { defaultTokens } from '../schedule/tokens.ts';
import { Continuous } from './continuous.ts';
import { Duration, Interval } from './duration.ts';
import { expected, got } from './expected.ts';
import { Objective, Objectives } from './objective.ts';
import { Available, Zone } from './open-hours.ts';
import type { Issue } from './reference.ts';
import { strict } from './strict.ts';

/** Minute, hour, day, month and weekday, like `0 6 * * 1`. */
const CronPattern = z.string().superRefine((pattern, context) => {
  const fault = cronFault(pattern);
  if (fault === undefined) return;
  const message = `${got(pattern, 'a cron pattern like "0 6 * * 1"')}: ${fault}`;
  context.addIssue({ code: 'custom', message, input: pattern });
});

/** Scrapes in proportion to what there is to find: a day brings as many tokens as the target's priority. */
const Tokens = strict({
  /** Of a new target; no more than the cap. */
  start: z.number().min(0).max(100).default(defaultTokens.start),
  /** No target saves more. */
  cap: z.number().min(1).max(100).default(defaultTokens.cap),
  /** No day has more scrapes of one target. */
  perDay: z.int().min(1).max(24).default(defaultTokens.perDay),
  /** By whose clocks a day begins. */
  zone: Zone.default('UTC'),
}).superRefine(({ start, cap }, context) => {
  const message = `expected at most ${cap}, as the cap is, got ${start}`;
  if (start > cap) context.addIssue({ code: 'custom', path: ['start'], message, input: start });
});

const yesOrMapping = expected('true or a mapping');
const yes = z.literal(true, yesOrMapping);

/** What sets the pace of a target: exactly one of them is given, or none where a level above gives one. */
export const paceKeys = ['every', 'cron', 'tokens', 'continuous', 'objective'] as const;

/** What a source file and a project's target may say of when to scrape. */
export const scheduleShape = {
  /** Scrapes at a fixed interval. */
  every: Interval.exactOptional(),
  /** Scrapes at times of the calendar. */
  cron: CronPattern.exactOptional(),
  /** By whose clocks the cron pattern goes. Default: UTC. */
  zone: Zone.exactOptional(),
  /** Scrapes by priority; `true` stands for all defaults. */
  tokens: z
    .union([yes, Tokens], yesOrMapping)
    .transform((given) => (given === true ? Tokens.parse({}) : given))
    .exactOptional(),
  /** Scrapes that follow on one another; `true` stands for all defaults. */
  continuous: z
    .union([yes, Continuous], yesOrMapping)
    .transform((given) => (given === true ? Continuous.parse({}) : given))
    .exactOptional(),
  /** Scrapes as often as this freshness needs. */
  objective: Objective.exactOptional(),
  /** From the creation of a target to its first scrape. */
  initialDelay: Duration.exactOptional(),
  /** When it may be asked. Default: always. */
  available: Available.exactOptional(),
  /** The freshness that is promised, whatever sets the pace. */
  objectives: Objectives.exactOptional(),
};

/** What one level says of when to scrape: a target, its project, its source or the daemon. */
export type ScheduleLevel = z.infer<z.ZodObject<typeof scheduleShape>>;

/** What sets the pace of a target, as its files have it. */
export type GivenPace =
  | { readonly kind: 'interval'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly pattern: string; readonly zone: string }
  | ({ readonly kind: 'tokens' } & z.infer<typeof Tokens>)
  | { readonly kind: 'continuous'; readonly sleepMs: number; readonly longestMs: number }
  | ({ readonly kind: 'objective' } & Objective);

/** What all levels together say of a target. */
export interface TargetSchedule {
  /** Missing when no level gives one. */
  readonly pace?: GivenPace;
  readonly initialDelayMs?: number;
  readonly hours: readonly OpenHours[];
  readonly objectives: Objectives;
}

/** What is wrong between the parts of one level: two paces at once, or a zone for nothing. For `superRefine` and `referenceIssues`. */
export function* scheduleIssues(given: Readonly<Record<string, unknown>>): Generator<Issue> {
  const [first, ...others] = paceKeys.filter((key) => given[key] !== undefined);
  for (const key of others)
    yield { path: [key], message: `expected one of ${paceKeys.join(', ')}, got "${key}" beside "${first}"` };
  if (given['zone'] !== undefined && given['cron'] === undefined)
    yield { path: ['zone'], message: 'expected "cron" beside it; other keys have zones of their own' };
}

/** Refuses what is wrong between the parts of one level, as the last check of its schema. */
export function checkSchedule(given: ScheduleLevel, context: z.core.$RefinementCtx): void {
  for (const { path, message } of scheduleIssues(given))
    context.addIssue({ code: 'custom', path: [...path], message, input: given });
}

/**
 * What the levels say of a target, the nearest first: the target, its project, its source, the daemon. The nearest pace stands
 * alone, so do the nearest hours and the nearest ages of objectives; each field has those of the nearest that names it.
 */
export function scheduleOf(levels: readonly ScheduleLevel[]): TargetSchedule {
  const pace = nearest(levels, paceOf);
  const initialDelayMs = nearest(levels, ({ initialDelay }) => initialDelay);
  const hours = nearest(levels, ({ available }) => available) ?? [];
  return {
    ...(pace !== undefined && { pace }),
    ...(initialDelayMs !== undefined && { initialDelayMs }),
    hours,
    objectives: objectivesOf(levels.flatMap((level) => level.objectives ?? [])),
  };
}

function nearest<T>(levels: readonly ScheduleLevel[], of: (level: ScheduleLevel) => T | undefined): T | undefined {
  for (const level of levels) {
    const said = of(level);
    if (said !== undefined) return said;
  }
  return undefined;
}

function objectivesOf(levels: readonly Objectives[]): Objectives {
  if (levels.length === 0) return {};
  const { warnAfter, errorAfter } = levels.find((level) => (level.warnAfter ?? level.errorAfter) !== undefined) ?? {};
  const fields = levels.reduceRight<NonNullable<Objectives['fields']>>((far, near) => ({ ...far, ...near.fields }), {});
  return {
    ...(warnAfter !== undefined && { warnAfter }),
    ...(errorAfter !== undefined && { errorAfter }),
    ...(Object.keys(fields).length > 0 && { fields }),
  };
}

function paceOf({ every, cron, zone = 'UTC', tokens, continuous, objective }: ScheduleLevel): GivenPace | undefined {
  if (every !== undefined) return { kind: 'interval', everyMs: every };
  if (cron !== undefined) return { kind: 'cron', pattern: cron, zone };
  if (tokens !== undefined) return { kind: 'tokens', ...tokens };
  if (continuous !== undefined) return { kind: 'continuous', sleepMs: continuous.sleep, longestMs: continuous.longest };
  return objective === undefined ? undefined : { kind: 'objective', ...objective };
}
