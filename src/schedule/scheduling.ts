import { defined } from '../defined.ts';
import { dueInputsOf } from './due-times.ts';
import {
  type FreshnessEvent,
  type FreshRow,
  freshRowOf,
  isMakingAges,
  type Verification,
  verifiedBy,
  withAges,
  withMisses,
  withOldest,
  withVerification,
} from './fresh-row.ts';
import { nextDueAt } from './next-due.ts';
import type { TargetObjective } from './time/objective.ts';
import { askAgainAt, isGoneForGood } from './gone.ts';
import { givenFor, paceOf, type PaceRow } from './pace/all.ts';
import type { EndedScrape } from './pace/pace.ts';
import type { EffectiveSchedule, Neighbours, ScheduledTarget, ScheduleOf, ScheduleRow } from './row.ts';

/** Makes the rows of the schedule. The store calls it within the transaction that changes what a row depends on, so it reads nothing else. */
export interface Scheduling {
  /** The row of a target that begins, or begins again; `before` is the row that it had when it was set aside. */
  first(target: ScheduledTarget, context: ScheduleContext, before?: ScheduleRow): ScheduleRow;
  /** The row after a scrape, `ended`, or after a change of what decides. */
  next(target: ScheduledTarget, row: ScheduleRow, context: ScheduleContext, ended?: EndedScrape): ScheduleRow;
  /** When a target's records say that it is finished: a past instant or `at` where they say so now; `undefined` where they never will. */
  endsAt(target: ScheduledTarget, context: ScheduleContext): number | undefined;
  /** Whether the row of a target that rests holds something to remember. */
  isKept(row: ScheduleRow): boolean;
  /** The row after a verification, or as its ages are by now, with the changes of freshness that are to be told. */
  verified(target: ScheduledTarget, row: ScheduleRow, context: ScheduleContext, seen?: Verification): Freshened;
}

/** The facts that decide a target's row, besides the target. */
export interface ScheduleContext {
  /** The present. */
  readonly at: number;
  readonly neighbours: Neighbours;
  /** When a field was last verified, as far as the first of the target's records tell; `undefined` where none of these has it. */
  readonly fieldVerifiedAt: (field: string) => number | undefined;
  /** When the target's oldest record was last verified, or a field of the record for which that was longest ago; `undefined` without any. */
  readonly oldestRecordAt: (field: string) => number | undefined;
  /** The values of the target's records of a type; none where it has very many. */
  readonly valuesOf: (record: string) => Iterable<Readonly<Record<string, unknown>>>;
}

/** A row after a verification, and the changes of freshness to be told. */
export interface Freshened {
  readonly row: ScheduleRow;
  readonly events: readonly FreshnessEvent[];
}

/**
 * Makes the rows of the schedule from the schedules in force.
 *
 * @param random - in `[0, 1)`; paces draw from it what a row keeps.
 */
export function createScheduling(scheduleOf: ScheduleOf, random: () => number): Scheduling {
  return {
    first(target, context, before) {
      const schedule = scheduleOf(target);
      const { at } = context;
      const firstAt = at + schedule.initialDelayMs;
      const begun = newPace(schedule, context, firstAt);
      const pace = before?.pace.kind === begun.kind ? begunAgain(begun, before, schedule) : begun;
      const fresh = freshFor(target, before && notAfter(before, schedule, at), schedule, context);
      const endsAt = endOf(target, schedule, context);
      const seasonAt = seasonOf(schedule);
      const row = { target: target.target, since: at, firstAt, pace, ...defined({ fresh, endsAt, seasonAt }) };
      return withDueAt(row, schedule, context);
    },
    next(target, row, context, ended) {
      const schedule = scheduleOf(target);
      const { at } = context;
      const known = notAfter(row, schedule, at);
      if (row.rest !== undefined) {
        const {
          dueAt: _due,
          manualAt: _manual,
          firstAt: _first,
          fresh: _fresh,
          endsAt: _end,
          seasonAt: _season,
          ...resting
        } = known;
        const fresh = freshFor(target, known, schedule, context);
        // A target that is parked ends as others do.
        const endsAt = row.rest === 'parked' ? endOf(target, schedule, context, row) : undefined;
        return { ...resting, ...defined({ fresh, endsAt, seasonAt: seasonOf(schedule) }) };
      }
      const turned = ended === undefined ? known : afterScrape(known, ended, schedule, { at, random });
      const firstAt = firstScrapeAt(turned.firstAt, at, schedule.initialDelayMs);
      // While its source is not loaded, as at the start, nothing that its row has is known to be wrong.
      const isSame = !schedule.isLoaded || isGiven(turned.pace, schedule);
      const fresh = freshFor(target, turned, schedule, context);
      const isDue = ended?.reason === 'due' && ended.endReason !== 'unavailable';
      const isCounted = fresh?.records === undefined;
      const counted = fresh && ended && isCounted ? withMisses(fresh, schedule, ended.startedAt, isDue) : fresh;
      const next = {
        target: turned.target,
        since: isSame ? turned.since : at,
        pace: isSame ? turned.pace : newPace(schedule, context, firstAt),
        ...defined({
          manualAt: turned.manualAt,
          firstAt,
          fresh: counted,
          seasonAt: seasonOf(schedule),
          endsAt: endOf(target, schedule, context, row),
          goneUntil: target.gone && askAgainAt(target.gone, at),
        }),
      };
      return withDueAt(next, schedule, context);
    },
    endsAt: (target, context) => endOf(target, scheduleOf(target), context),
    isKept: ({ fresh, pace }) => fresh !== undefined || paceOf(pace).isKeptAtRest === true,
    verified(target, row, context, seen) {
      if (row.fresh === undefined) return { row, events: [] };
      const schedule = scheduleOf(target);
      const { objectives } = schedule;
      const seenRow = seenBy(row.fresh, objectives, context, seen);
      // Not all ages are known yet.
      if (isMakingAges(seenRow)) return { row: { ...row, fresh: { ...seenRow, crossAt: context.at } }, events: [] };
      if (!schedule.isLoaded) {
        // The objectives are not known now: how it stands with them is looked at when they are.
        const { crossAt: _, ...fresh } = seenRow;
        return { row: { ...row, fresh }, events: [] };
      }
      const { fresh, events } = withAges(seenRow, objectives, context.at);
      const next = { ...row, fresh };
      return { row: row.rest === undefined ? withDueAt(next, schedule, context) : next, events };
    },
  };

  function newPace(
    { pace, key }: EffectiveSchedule,
    { at, neighbours }: ScheduleContext,
    firstAt: number | undefined,
  ): PaceRow {
    return paceOf(pace).begin(pace, { key, at, firstAt, places: neighbours, random });
  }
}

/** Returns the row after a scrape, with `since`, `firstAt` and the pace brought up to date. Pure but for `random`. */
export function afterScrape(
  row: ScheduleRow,
  ended: EndedScrape,
  schedule: Pick<EffectiveSchedule, 'pace'>,
  { at, random }: { readonly at: number; random(): number },
): ScheduleRow {
  // What its source's hours cut short is not over: it goes on when they begin again.
  if (ended.endReason === 'unavailable') return row;
  const { firstAt, since, pace, ...rest } = row;
  const isDue = ended.reason === 'due';
  // What a person asked for stands in for what was due when it began, and for nothing else.
  const overAt = isDue ? at : Math.max(since, ended.startedAt);
  const isFirst = firstAt !== undefined;
  const isFirstOver = isFirst && (isDue || firstAt <= ended.startedAt);
  const given = givenFor(pace, schedule.pace);
  const scrape = { ...ended, given, at, since, overAt, isFirst, isFirstOver, random };
  return {
    ...rest,
    since: overAt,
    ...(isFirst && !isFirstOver && { firstAt }),
    pace: paceOf(pace).afterScrape?.(pace, scrape) ?? pace,
  };
}

/** When an objective begins or ends to hold; nothing is known of that while the target's source is not loaded. */
function seasonOf({ isLoaded, seasonAt }: EffectiveSchedule): number | undefined {
  return isLoaded ? seasonAt : undefined;
}

/** When a target ends by its records, or because its page is gone; while its source is not loaded, what its row has stands. */
function endOf(
  { gone }: ScheduledTarget,
  { isLoaded, endRule, endsWhenGone }: Pick<EffectiveSchedule, 'isLoaded' | 'endRule' | 'endsWhenGone'>,
  { at, valuesOf }: ScheduleContext,
  row?: ScheduleRow,
): number | undefined {
  if (isLoaded && endsWhenGone === true && gone !== undefined && isGoneForGood(gone)) return at;
  return isLoaded ? endRule?.endsAt(valuesOf(endRule.record), at) : row?.endsAt;
}

/** The row with the instant at which it is due, as far as that is known without a person's request and a start of the daemon. */
function withDueAt(row: ScheduleRow, schedule: EffectiveSchedule, { at, neighbours }: ScheduleContext): ScheduleRow {
  const { dueAt: _, manualAt, ...unasked } = row;
  const dueAt = nextDueAt(dueInputsOf(unasked, schedule, neighbours, { at }));
  return { ...unasked, ...defined({ dueAt, manualAt }) };
}

function seenBy(
  fresh: FreshRow,
  objectives: readonly TargetObjective[],
  { at, oldestRecordAt }: ScheduleContext,
  seen: Verification | undefined,
): FreshRow {
  if (fresh.records !== undefined) return withOldest(fresh, at, oldestRecordAt);
  return seen === undefined ? fresh : withVerification(fresh, objectives, seen);
}

function begunAgain(begun: PaceRow, before: ScheduleRow, { pace: given }: EffectiveSchedule): PaceRow {
  return paceOf(begun).beginAgain?.(begun, before.pace, { since: before.since, given }) ?? begun;
}

/**
 * Returns when a target that waits for its first scrape has it: not later than a whole delay from `at`, since the clock may have been set
 * back and the delay may be another one than when the target began. `undefined` for a target that does not wait.
 */
export function firstScrapeAt(waiting: number | undefined, at: number, initialDelayMs: number): number | undefined {
  return waiting === undefined ? undefined : Math.min(waiting, at + initialDelayMs);
}

/** Whether a row's pace is the one that its files give it. */
export function isGiven(row: PaceRow, { pace, key }: Pick<EffectiveSchedule, 'pace' | 'key'>): boolean {
  return row.kind === pace.kind && paceOf(row).isSame(row, pace, key);
}

/** The row with nothing later than it can be: the clock may have been set back. */
function notAfter(row: ScheduleRow, { pace: given }: EffectiveSchedule, at: number): ScheduleRow {
  const { since, fresh } = row;
  const kind = paceOf(row.pace);
  const pace = kind.notAfter?.(row.pace, at, givenFor(row.pace, given)) ?? row.pace;
  const seen = fresh && verifiedBy(fresh, at);
  const isSetBack = since > at + (kind.setBackMs ?? 0);
  if (!isSetBack && pace === row.pace && seen === fresh) return row;
  return { ...row, since: isSetBack ? at : since, pace, ...defined({ fresh: seen }) };
}

function freshFor(
  { source, createdAt, verifiedAt }: ScheduledTarget,
  row: ScheduleRow | undefined,
  schedule: EffectiveSchedule,
  { at, fieldVerifiedAt }: ScheduleContext,
): FreshRow | undefined {
  if (!schedule.isLoaded) return row?.fresh;
  return freshRowOf(schedule, row?.fresh, {
    key: schedule.key,
    source,
    at,
    createdAt,
    verifiedAt,
    fieldVerifiedAt,
  });
}
