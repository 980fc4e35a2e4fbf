import { marksOf } from '../definition/promise.ts';
import { nextDueAt, stepMs } from '../schedule/next-due.ts';
import { gridOf, nextGridTurn } from '../schedule/grid.ts';
import { opennessOf } from '../schedule/openness.ts';
import { newBucket, refunded } from '../schedule/tokens.ts';
import { dayNumber, dayStart } from '../schedule/zone.ts';
import type { TargetRow } from '../store/rows.ts';
import type { FreshRow, PaceRow, ScheduleRow } from '../store/schedule-row.ts';
import type { Places, Scheduled, Scheduling, Turn } from '../store/store.ts';
import { type InForce, inputsOf, type Said, saidOf } from './due-inputs.ts';
import { firstDeadline, recheckMs, withAges, withCrossing, withSight } from './freshness.ts';

/** Says when targets are due, from the definitions and settings in force. */
export function createScheduling(inForce: InForce, random: () => number): Scheduling {
  return {
    first(target, about, row) {
      const { at, project } = about;
      const said = saidOf(target, project, inForce);
      const firstAt = at + said.initialDelayMs;
      const pace = againPace(newPace(said, about, { at, firstAt }), row, said);
      const fresh = freshIn(target, row && asOf(row, at), said, about);
      return due({ target: target.target, since: at, firstAt, pace, ...(fresh && { fresh }) }, said, about);
    },

    next(target, row, about, turn) {
      const { at, project } = about;
      const said = saidOf(target, project, inForce);
      const known = asOf(row, at);
      if (row.rest !== undefined) return resting(known, freshIn(target, known, said, about));
      const turned = turn === undefined ? known : afterTurn(known, turn, at, said);
      const { since, drawnAt, firstAt: first, pace, fresh: _, ...rest } = turned;
      // The clock may have been set back, and the delay may be another one.
      const firstAt = first === undefined ? undefined : Math.min(first, at + said.initialDelayMs);
      // While its source is not loaded, as at the start, nothing that its row has is known to be wrong.
      const isSame = said.source === undefined || isOf(pace, said);
      const fresh = freshIn(target, turned, said, about);
      const next = {
        target: rest.target,
        since: isSame ? since : at,
        ...(isSame && drawnAt !== undefined && { drawnAt }),
        ...(rest.manualAt !== undefined && { manualAt: rest.manualAt }),
        ...(firstAt !== undefined && { firstAt }),
        pace: isSame ? planned(pace, said, at) : newPace(said, about, { at, firstAt }),
        ...(fresh !== undefined && { fresh: turn === undefined ? fresh : counted(fresh, said, turn) }),
      };
      return due(next, said, about);
    },

    verified(target, row, about, seen) {
      if (row.fresh === undefined) return { row, told: [] };
      const said = saidOf(target, about.project, inForce);
      const marks = marksOf(said);
      const sighted = seen === undefined ? row.fresh : withSight(row.fresh, marks, seen);
      if (said.source === undefined) {
        // What is promised is not known now: how it stands is looked at when that is.
        const { crossAt: _, ...fresh } = sighted;
        return { row: { ...row, fresh }, told: [] };
      }
      const { fresh, told } = withAges(sighted, marks, about.at);
      return { row: row.rest === undefined ? due({ ...row, fresh }, said, about) : { ...row, fresh }, told };
    },
  };

  function afterTurn(row: ScheduleRow, turn: Turn, at: number, said: Said): ScheduleRow {
    // What its source's hours cut short is not over: it goes on when they begin again.
    if (turn.endReason === 'unavailable') return row;
    const isDue = turn.reason === 'due';
    // What a person asked for stands in for what was due when it began, and for nothing else.
    const overAt = isDue ? at : Math.max(row.since, turn.startedAt);
    const { firstAt, drawnAt, ...rest } = row;
    const drawn = isDue ? drawnBegin(row, turn) : drawnAt;
    const isFirstOver = firstAt !== undefined && (isDue || firstAt <= turn.startedAt);
    return {
      ...rest,
      since: overAt,
      ...(drawn !== undefined && { drawnAt: drawn }),
      ...(firstAt !== undefined && !isFirstOver && { firstAt }),
      pace: paceAfter(row, turn, { overAt, at, isFirstOver }, said),
    };
  }

  function paceAfter(
    { pace, since }: ScheduleRow,
    { reason, status, failure, startedAt }: Turn,
    { overAt, at, isFirstOver }: { readonly overAt: number; readonly at: number; readonly isFirstOver: boolean },
    said: Said,
  ): PaceRow {
    if (pace.kind === 'continuous') {
      if (reason !== 'due') return pace;
      return { ...pace, endedAt: at, failures: failuresAfter(pace.failures, status), draw: random() };
    }
    if (pace.kind !== 'tokens') return pace;
    const over = pace.planned.filter((each) => each > since && each <= overAt).length;
    // One was scraped, or what was paid for before: the first scrape by its beginning, one from before midnight by the last day.
    const isOfToday = pace.planned.some((each) => each > since && each <= startedAt);
    const paid = isFirstOver || over === 0 || !isOfToday ? 0 : 1;
    const isUnasked = failure?.code === 'not_initialised' && (isFirstOver || over > 0);
    const unspent = over - paid + (isUnasked ? 1 : 0);
    const limits = said.pace.kind === 'tokens' ? said.pace : undefined;
    return {
      ...pace,
      planned: pace.planned.filter((each) => each > overAt),
      ...(unspent > 0 && { bucket: refunded(pace.bucket, unspent, limits) }),
    };
  }

  function newPace(
    { pace, key }: Said,
    { places }: Scheduled,
    { at, firstAt }: { readonly at: number; readonly firstAt: number | undefined },
  ): PaceRow {
    switch (pace.kind) {
      case 'interval':
        return { kind: 'interval', grid: placeIn(key, pace.everyMs, places, firstAt ?? at) };
      case 'cron': {
        const { pattern, zone } = pace;
        return { kind: 'cron', pattern, zone };
      }
      case 'tokens': {
        const day = dayNumber(pace.zone, at);
        // The first scrape is paid for as any other, on the day of its own.
        if (firstAt === undefined) return { kind: 'tokens', bucket: newBucket(day, pace), planned: [], planAt: at };
        const bucket = { tokens: Math.max(0, pace.start - 1), day };
        return { kind: 'tokens', bucket, planned: [], planAt: dayStart(pace.zone, day + 1) };
      }
      case 'continuous':
        return { kind: 'continuous', endedAt: at, failures: 0, draw: random() };
      case 'objective':
        return { kind: 'objective' };
      default:
        return pace satisfies never;
    }
  }
}

/** When a turn began that its objective had drawn forward from a later one of its interval, if it ended well; nothing for any other. */
function drawnBegin({ pace, since, drawnAt, firstAt }: ScheduleRow, { status, startedAt }: Turn): number | undefined {
  if (pace.kind !== 'interval' || firstAt !== undefined || status !== 'complete') return undefined;
  return nextGridTurn(pace.grid, since, drawnAt) > startedAt ? startedAt : undefined;
}

/** One that a guard of its definition ended would only be ended again; what a person ended says nothing. */
function failuresAfter(failures: number, status: Turn['status']): number {
  if (status === 'failed' || status === 'aborted') return failures + 1;
  return status === 'cancelled' ? failures : 0;
}

/** The pace of a target that begins again: what it has to spend is what it had, and days of rest bring nothing. */
function againPace(pace: PaceRow, row: ScheduleRow | undefined, said: Said): PaceRow {
  if (pace.kind !== 'tokens' || row?.pace.kind !== 'tokens' || said.pace.kind !== 'tokens') return pace;
  const unspent = row.pace.planned.filter((each) => each > row.since).length;
  const { tokens } = refunded(row.pace.bucket, unspent, said.pace);
  return { ...pace, bucket: { ...pace.bucket, tokens: Math.max(0, tokens - 1) } };
}

/** The row of a target that rests: nothing of it is due. */
function resting(row: ScheduleRow, fresh: FreshRow | undefined): ScheduleRow {
  const { dueAt: _due, manualAt: _manual, firstAt: _first, drawnAt: _drawn, fresh: _fresh, ...rest } = row;
  return { ...rest, ...(fresh && { fresh }) };
}

/** The row with the instant at which it is due, as far as it is known without a person's wish and a start of the daemon. */
function due(row: ScheduleRow, said: Said, { at, places }: Scheduled): ScheduleRow {
  const { dueAt: _, manualAt, ...unasked } = row;
  const dueAt = nextDueAt(inputsOf(unasked, said, places, { at }));
  return { ...unasked, ...(dueAt !== undefined && { dueAt }), ...(manualAt !== undefined && { manualAt }) };
}

function placeIn(key: string, everyMs: number, { freeSlot, originOf }: Places, startAt: number) {
  const slot = freeSlot(key, everyMs);
  return { key, slot, ...gridOf(originOf(key, everyMs) ?? startAt, everyMs, slot) };
}

/** Whether a row's pace is the one that its files give it. */
function isOf(row: PaceRow, { pace, key }: Said): boolean {
  if (row.kind === 'interval')
    return pace.kind === 'interval' && row.grid.key === key && row.grid.everyMs === pace.everyMs;
  if (row.kind === 'cron') return pace.kind === 'cron' && row.pattern === pace.pattern && row.zone === pace.zone;
  return row.kind === pace.kind;
}

/** A row in which nothing is later than it can be: the clock may have been set back. */
function asOf(row: ScheduleRow, at: number): ScheduleRow {
  const { since, drawnAt, pace, fresh } = row;
  const repeats = pace.kind === 'cron' || pace.kind === 'tokens' ? stepMs : 0;
  const sights = Object.entries(fresh?.fields ?? {});
  const verified = [fresh?.verifiedAt ?? 0, ...sights.map(([, seenAt]) => seenAt)];
  if (since <= at + repeats && verified.every((seenAt) => seenAt <= at)) return row;
  const fields = sights.map(([field, seenAt]) => [field, Math.min(seenAt, at)] as const);
  return {
    ...row,
    since: since > at + repeats ? at : since,
    ...(drawnAt !== undefined && { drawnAt: Math.min(drawnAt, at) }),
    pace: pace.kind === 'continuous' ? { ...pace, endedAt: Math.min(pace.endedAt, at) } : pace,
    ...(fresh && {
      fresh: {
        ...fresh,
        verifiedAt: Math.min(fresh.verifiedAt, at),
        ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
      },
    }),
  };
}

/** A day that is to be planned later than the next one: the clock was set back, or the day is that of another zone. */
function planned(row: PaceRow, { pace }: Said, at: number): PaceRow {
  if (row.kind !== 'tokens' || pace.kind !== 'tokens') return row;
  const planAt = dayStart(pace.zone, dayNumber(pace.zone, at) + 1);
  return planAt < row.planAt ? { ...row, planAt } : row;
}

/** What has to be fresh of a target; what is known of it stays. What was never verified is as old as the target. */
function freshIn(
  target: TargetRow,
  row: ScheduleRow | undefined,
  said: Said,
  { at, project, seenAt }: Scheduled,
): FreshRow | undefined {
  if (said.source === undefined) return row?.fresh;
  const objectiveMs = recheckMs(said);
  if (objectiveMs === Infinity) return undefined;
  const marks = marksOf(said);
  const hours = opennessOf(said.hours);
  const before = row?.fresh;
  const isMarked = ([field]: [string, unknown]): boolean => marks.some((mark) => mark.field === field);
  const bornAt = Math.min(target.createdAt ?? project?.createdAt ?? at, at);
  const known = new Map(Object.entries(before?.fields ?? {}));
  const fields = marks
    .filter(({ field }) => field !== '')
    .map(({ field }) => [field, known.get(field) ?? Math.min(seenAt(field) ?? bornAt, at)] as const);
  const episodes = Object.entries(before?.episodes ?? {}).filter(isMarked);
  const fresh: FreshRow = {
    key: said.key,
    source: target.source,
    objectiveMs,
    ...(hours && { hours }),
    verifiedAt: before?.verifiedAt ?? Math.min(target.verifiedAt ?? bornAt, at),
    misses: before?.misses ?? 0,
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
    ...(episodes.length > 0 && { episodes: Object.fromEntries(episodes) }),
  };
  return withCrossing(fresh, marks, at);
}

/** Turns that verified nothing of what was due are counted, so that the next one waits longer. */
function counted(fresh: FreshRow, said: Said, turn: Turn): FreshRow {
  if (firstDeadline(fresh, said).verifiedAt >= turn.startedAt) return { ...fresh, misses: 0 };
  return turn.reason === 'due' && turn.endReason !== 'unavailable' ? { ...fresh, misses: fresh.misses + 1 } : fresh;
}
