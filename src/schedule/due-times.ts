import { defined } from '../defined.ts';
import { leadAmong } from './feasibility.ts';
import { type FreshRow, firstDeadline } from './fresh-row.ts';
import { type DueInputs, nextDueAt } from './next-due.ts';
import type { Recheck } from './time/objective.ts';
import { givenFor, paceOf } from './pace/all.ts';
import type { EffectiveSchedule, Neighbours, ScheduledTarget, ScheduleOf, ScheduleRow } from './row.ts';

/** A target, as far as it decides when it is due now. */
export interface DueTarget extends ScheduledTarget {
  readonly crashes: { readonly recent: readonly number[]; readonly inRow: number };
}

/** When targets are due and why, as of now, from the stored rows. */
export interface DueTimes {
  /** The schedule in force of a target. */
  scheduleOf(target: DueTarget): EffectiveSchedule;
  /** All that decides when a target is due now; `undefined` for a target that is not scheduled. */
  inputsOf(target: DueTarget): DueInputs | undefined;
  /**
   * When a target would be due again if its scrape ended now: until then the scrape may be tried again. Infinite where the next scrape counts
   * from the end of this one.
   *
   * @param schedule - the one in force of the target.
   */
  afterwards(target: DueTarget, schedule: EffectiveSchedule): number;
}

/** The schedules and rows from which due times are computed. */
export interface DueTimesDeps {
  readonly scheduleOf: ScheduleOf;
  now(): number;
  store(): {
    readonly schedule: Neighbours & { get(target: number): ScheduleRow | undefined };
  };
}

/** Returns the due times of targets. Its methods throw the errors of `store`. */
export function createDueTimes({ scheduleOf, now, store }: DueTimesDeps): DueTimes {
  return {
    scheduleOf,
    inputsOf,
    afterwards(target, schedule) {
      const row = store().schedule.get(target.target);
      if (row === undefined || paceOf(row.pace).pauseMs !== undefined) return Infinity;
      const { firstAt: _first, manualAt: _manual, fresh, ...rest } = row;
      const at = now();
      const verified = fresh && { ...fresh, verifiedAt: at, fields: {}, misses: 0 };
      const next = { ...rest, since: at, ...defined({ fresh: verified }) };
      return nextDueAt(dueInputsOf(next, schedule, store().schedule, { at })) ?? Infinity;
    },
  };

  function inputsOf(target: DueTarget): DueInputs | undefined {
    const row = store().schedule.get(target.target);
    if (row === undefined || row.rest !== undefined) return undefined;
    const { inRow, recent } = target.crashes;
    const schedule = scheduleOf(target);
    const crash = inRow === 0 ? undefined : (recent.at(-1) ?? 0) + schedule.initialDelayMs;
    return dueInputsOf(row, schedule, store().schedule, {
      at: now(),
      ...(crash !== undefined && { holds: { crash } }),
    });
  }
}

/** All that decides when a target is due, from its row and its schedule. */
export function dueInputsOf(
  { since, firstAt, pace, fresh, manualAt, goneUntil }: ScheduleRow,
  schedule: EffectiveSchedule,
  neighbours: Pick<Neighbours, 'demandsOn'>,
  { at, holds }: Pick<DueInputs, 'at' | 'holds'>,
): DueInputs {
  return {
    at,
    since,
    pace,
    priority: schedule.priority,
    hours: schedule.hours,
    given: givenFor(pace, schedule.pace),
    firstAt,
    // Records are re-checked one by one, whenever their target is due.
    recheck: fresh?.records === undefined ? fresh && recheckOf(fresh, schedule, neighbours) : undefined,
    manualAt,
    // A person may know that the page is back.
    holds: { ...holds, ...defined({ gone: manualAt === undefined ? goneUntil : undefined }) },
  };
}

/** Returns when a target has to be verified again: its first deadline, and the lead by which it falls due before that. */
function recheckOf(
  fresh: FreshRow,
  schedule: EffectiveSchedule,
  { demandsOn }: Pick<Neighbours, 'demandsOn'>,
): Recheck {
  const { verifiedAt, objectiveMs } = firstDeadline(fresh, schedule);
  const { key, objectiveMs: shortestMs, hours } = fresh;
  const leadMs = leadAmong({ shortestMs, objectiveMs, hours }, schedule.host, demandsOn(key, shortestMs));
  return { lastVerifiedAt: verifiedAt, objectiveMs, leadMs, misses: fresh.misses };
}
