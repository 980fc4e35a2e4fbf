import { setImmediate } from 'node:timers/promises';
import type { OpenHours } from '../schedule/time/open-hours.ts';
import { type PlanTarget, dayWindow, planDay } from '../schedule/pace/plan-day.ts';
import {
  type Bucket,
  type TokenLimits,
  type TokensRow,
  defaultTokens,
  isGranted,
  refunded,
} from '../schedule/pace/bucket.ts';
import { dayNumber, dayStart } from '../schedule/time/zone.ts';
import type { Clock } from '../clock.ts';
import type { TargetRow } from './tables/rows.ts';
import { type PlannedTarget, writePlan } from './schedule.ts';
import type { EffectiveSchedule, ScheduleRow } from '../schedule/row.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { inSlices, writtenAtOnce } from './slices.ts';
import type { Store } from './store.ts';

/** The dependencies of the planning of days. */
export interface DayPlanningDeps {
  readonly clock: Clock;
  store(): Store;
  readonly dues: Pick<DueTimes, 'scheduleOf'>;
  /** The condition of a source's session; `undefined` for a source without one. */
  conditionOf(source: string): { readonly code: string } | undefined;
  /** Called for each project that scrapes a target whose due time changed. */
  look(project: string): void;
}

/** A target whose day has begun. */
interface Begun {
  readonly row: ScheduleRow;
  readonly own: TokensRow;
  readonly target: TargetRow;
}

type Tokens = TokenLimits & { readonly zone: string };

/** The facts that all targets of a group share. */
interface Alike {
  readonly key: string;
  readonly tokens: Tokens;
  readonly hours: readonly OpenHours[];
  readonly state: NonNullable<PlanTarget['state']>;
}

/** Targets of one politeness key whose days are planned together. */
interface Group extends Alike {
  /** Five numbers a target, since all are kept until the last row is read and there may be a million; see `targetsIn`. */
  readonly numbers: number[];
}

/**
 * Returns the function that plans the day of each target that is scraped by tokens and whose day has begun. It resolves with the number of these
 * targets, and rejects with `StoreFullError` when the store has no room.
 */
export function createDayPlanning({ clock, store, dues, conditionOf, look }: DayPlanningDeps): () => Promise<number> {
  return async function planDays() {
    const at = clock.now();
    const groups = new Map<string, Group>();
    let found = 0;
    for await (const slice of begun(at)) {
      const kept: PlannedTarget[] = [];
      for (const each of slice) {
        const schedule = dues.scheduleOf(each.target);
        const { zone } = tokensOf(schedule);
        const day = dayNumber(zone, at);
        if (isGranted(each.own.bucket, day)) kept.push(asItIs(each, dayStart(zone, day + 1)));
        else join(groups, each, schedule);
      }
      await write(kept);
      found += slice.length;
    }
    await writeAll(planned(groups, at));
    return found;
  };

  /** Targets whose day has begun, a slice at a time. What changes meanwhile is left to the next round. */
  async function* begun(at: number): AsyncGenerator<readonly Begun[]> {
    const after = (last: ScheduleRow | undefined, limit: number) =>
      store().schedule.byPlan({ after: last && planKey(last), before: at + 1, limit });
    for await (const rows of inSlices(after, writtenAtOnce)) {
      const gone: number[] = [];
      yield rows.flatMap((row) => {
        const { pace: own } = row;
        const target = store().targets.get(row.target);
        if (target === undefined) gone.push(row.target);
        return own.kind !== 'tokens' || target === undefined ? [] : [{ row, own, target }];
      });
      // A row that stayed would be found at every round.
      if (gone.length > 0) await store().write(() => gone.forEach(store().schedule.remove));
    }
  }

  function join(groups: Map<string, Group>, { row, own, target }: Begun, schedule: EffectiveSchedule): void {
    const tokens = tokensOf(schedule);
    const state = !schedule.isLoaded || isWaiting(row, target) ? 'waiting' : 'active';
    const { numbers } = groupOf(groups, { key: schedule.key, tokens, hours: schedule.hours, state });
    const bucket = bucketOf({ row, own, target }, tokens);
    numbers.push(row.target, row.since, bucket.tokens, bucket.day, schedule.priority);
  }

  /** The tokens of a target as its day begins: those of the last day's turns that were not scraped are given back. */
  function bucketOf({ row, own, target }: Begun, limits: TokenLimits): Bucket {
    const left = own.planned.filter((each) => each > row.since);
    const over = left.length - (isBeingSpent(left, target) ? 1 : 0);
    return over > 0 ? refunded(own.bucket, over, limits) : own.bucket;
  }

  /** Whether one of these turns pays for the running scrape: a person's scrape is paid if a turn was due when it began. */
  function isBeingSpent(turns: readonly number[], target: TargetRow): boolean {
    const scrape = store().scrapes.runningOf(target);
    if (scrape === undefined) return false;
    return scrape.reason === 'due' || turns.some((each) => each <= scrape.startedAt);
  }

  /** Whether a target saves its tokens: its first scrape has not ended, or its source has no session. */
  function isWaiting(row: ScheduleRow, target: TargetRow): boolean {
    const session = conditionOf(target.source)?.code;
    return row.firstAt !== undefined || session === 'not_initialised' || session === 'login_attempts';
  }

  async function writeAll(all: Iterable<PlannedTarget>): Promise<void> {
    let some: PlannedTarget[] = [];
    for (const each of all) {
      if (some.push(each) < writtenAtOnce) continue;
      await write(some);
      some = [];
    }
    await write(some);
  }

  async function write(some: readonly PlannedTarget[]): Promise<void> {
    if (some.length === 0) return;
    for (const project of await writePlan(store(), some)) look(project);
    await setImmediate();
  }
}

function tokensOf({ pace }: EffectiveSchedule): Tokens {
  if (pace.kind !== 'tokens') return { ...defaultTokens, zone: 'UTC' };
  const { kind: _, ...tokens } = pace;
  return tokens;
}

/** The plan for a day that was planned before, since the clock was set back or the zone changed: it stays as it is. */
function asItIs({ row, own }: Begun, planAt: number): PlannedTarget {
  return { target: row.target, since: row.since, bucket: own.bucket, turns: own.planned, planAt };
}

/** The key of a row in the order of plans. */
function planKey({ pace, target }: ScheduleRow): [number, number] | undefined {
  return pace.kind === 'tokens' ? [pace.planAt, target] : undefined;
}

/** The group of targets that have this in common; a new one if there is none. */
function groupOf(groups: Map<string, Group>, alike: Alike): Group {
  const id = JSON.stringify(alike);
  const known = groups.get(id);
  if (known !== undefined) return known;
  const group = { ...alike, numbers: [] };
  groups.set(id, group);
  return group;
}

function* targetsIn({ numbers, state }: Group): Generator<PlanTarget & { readonly since: number }> {
  for (let at = 0; at < numbers.length; at += 5) {
    const [target = 0, since = 0, tokens = 0, day = 0, priority = 0] = numbers.slice(at, at + 5);
    yield { target, since, bucket: { tokens, day }, priority, state };
  }
}

/** The plans of all targets, group after group. Each group is removed once its targets are planned. */
function* planned(groups: Map<string, Group>, at: number): Generator<PlannedTarget> {
  for (const [id, group] of groups) {
    const { tokens, hours } = group;
    const { zone } = tokens;
    const day = dayNumber(zone, at);
    const window = dayWindow(zone, day, at);
    const plan = planDay({ day, window, targets: targetsIn(group), hours, limits: tokens });
    const buckets = new Map(plan.buckets.map(({ target, bucket }) => [target, bucket]));
    const turns = Map.groupBy(plan.turns, ({ target }) => target);
    const planAt = dayStart(zone, day + 1);
    for (const { target, since, bucket } of targetsIn(group)) {
      const own = turns.get(target)?.map(({ dueAt }) => dueAt) ?? [];
      yield { target, since, bucket: buckets.get(target) ?? bucket, turns: own, planAt };
    }
    groups.delete(id);
  }
}
