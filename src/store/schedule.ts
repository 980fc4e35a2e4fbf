import { isDeepStrictEqual } from 'node:util';
import { jumpMs } from '../clock.ts';
import { defined } from '../defined.ts';
import type { EndedScrape } from '../schedule/pace/pace.ts';
import type { Rest, ScheduleRow } from '../schedule/row.ts';
import type { ScheduleContext } from '../schedule/scheduling.ts';
import { ownerOf, projectsOf } from '../schedule/watchers.ts';
import type { TargetRow } from './tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import { endTrouble, reportTrouble } from './tickets.ts';
import { inSlices, targetsOfSources, writtenAtOnce } from './slices.ts';
import { makeAges, overdueRecords } from './record-ages.ts';
import { type Verification, verifiedAt } from '../schedule/fresh-row.ts';
import type { Bucket } from '../schedule/pace/bucket.ts';
import { setImmediate } from 'node:timers/promises';

/** Ends the due times of a target. A row with objectives or tokens, or of a parked target, is kept; any other is removed. */
export function putToRest(store: Store, change: Change, target: TargetRow, rest: Rest): void {
  const row = store.schedule.get(target.target);
  if (row === undefined) return;
  const resting = store.scheduling.next(target, { ...row, rest }, contextOf(store, change, target));
  const isParked = rest === 'parked' || target.status === 'parked';
  if (isParked || store.scheduling.isKept(resting)) store.schedule.set(resting);
  else store.schedule.remove(target.target);
}

/**
 * Schedules the first scrape of a target that is new, enabled, restored or released. The state of its pace is kept.
 *
 * @param end - with `unended`, the target is scraped once though its records may say that it is finished.
 */
export function scheduleFirst(store: Store, change: Change, target: TargetRow, end?: 'unended'): void {
  const row = store.schedule.get(target.target);
  const { endsAt, ...first } = store.scheduling.first(target, contextOf(store, change, target), row);
  store.schedule.set({ ...first, ...defined({ endsAt: end === 'unended' ? undefined : endsAt }) });
}

/**
 * Computes the next due time of a scheduled target after a scrape, or after an input has changed. Does nothing to a
 * target without a schedule row. Returns the number of records that were read for it: more than 0 only where objectives
 * on fields are new.
 */
export function scheduleNext(store: Store, change: Change, target: TargetRow, ended?: EndedScrape): number {
  const row = store.schedule.get(target.target);
  if (row === undefined) return 0;
  const context = contextOf(store, change, target);
  const next = store.scheduling.next(target, row, context, ended);
  if (!isDeepStrictEqual(next, row)) store.schedule.set(next);
  return context.recordsRead();
}

/** The number of a target's records from which it is computed when its fields were last verified. */
const recordsThatTell = 20;

/** A target of more records does not end by what they say: all of them would be read in one transaction. */
const recordsThatEnd = 1_000;

/** The inputs of a target's schedule besides the target, and the number of records that were read for it so far. */
export function contextOf(
  { schedule, records, ages }: Store,
  { at }: Change,
  { target }: TargetRow,
): ScheduleContext & { recordsRead(): number } {
  let first: readonly RecordView[] | undefined;
  function* valuesOf(type: string): Generator<Readonly<Record<string, unknown>>> {
    for (const { type: each, absent, fields } of records.ofTarget(target))
      if (each === type && absent === undefined)
        yield Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  }
  return {
    at,
    neighbours: schedule,
    fieldVerifiedAt(field) {
      // Once for all fields: a record is decoded as a whole.
      first ??= Array.from(records.ofTarget(target, { limit: recordsThatTell }));
      const seen = first.flatMap(({ fields }) => fields[field]?.verifiedAt ?? []);
      return seen.length === 0 ? undefined : Math.max(...seen);
    },
    oldestRecordAt: (field) => ages.oldest(target, field),
    valuesOf: (type) => (records.countOfTarget(target, recordsThatEnd + 1) > recordsThatEnd ? [] : valuesOf(type)),
    recordsRead: () => first?.length ?? 0,
  };
}

/**
 * Schedules anew what is due or held back later than it ever may be, because the wall clock was set back. Works also
 * when the store is full. Rejects when a commit fails.
 */
export async function bringForward(store: Store): Promise<void> {
  for await (const rows of inSlices<ScheduleRow>(store.schedule.rowsAfter, writtenAtOnce))
    await store.write((change) => rows.forEach(({ target }) => bringOneForward(store, change, target)), {
      evenWhenFull: true,
    });
}

function bringOneForward(store: Store, change: Change, number: number): void {
  const row = store.schedule.get(number);
  const found = store.targets.get(number);
  if (row === undefined || found === undefined) return;
  const target = heldFrom(found, change.at);
  if (target !== found) store.targets.put(target);
  if (row.manualAt !== undefined && row.manualAt > change.at) store.schedule.set({ ...row, manualAt: change.at });
  scheduleNext(store, change, target);
}

/** The target with crashes and parking that lie in the future moved to the present; a parking keeps its length. */
function heldFrom(target: TargetRow, at: number): TargetRow {
  const { crashes, parked } = target;
  if (crashes.recent.every((each) => each <= at) && (parked?.at ?? 0) <= at) return target;
  const recent = crashes.recent.map((each) => Math.min(each, at));
  return {
    ...target,
    crashes: { ...crashes, recent },
    ...defined({ parked: parked && parkedBy(parked, at) }),
  };
}

function parkedBy(parked: NonNullable<TargetRow['parked']>, at: number): TargetRow['parked'] {
  return parked.at <= at ? parked : { ...parked, at, retryAt: at + parked.retryAt - parked.at };
}

/** Whether the wall clock was set back since the last event, as far as that can be noticed. */
export function isSetBack({ events }: Store, now: number): boolean {
  const last = events.get(events.last());
  return last !== undefined && last.at > now + jumpMs;
}

/**
 * Writes that fields of a target, or the whole target, were verified, and tells the events of its objectives. Without
 * `seen`, only its age counts. Does nothing to a target without objectives. To be called within a transaction.
 */
export function freshen(store: Store, change: Change, target: TargetRow, seen?: Verification): void {
  const row = store.schedule.get(target.target);
  if (row?.fresh === undefined) return;
  const found = store.scheduling.verified(target, row, contextOf(store, change, target), seen);
  store.schedule.set(found.row);
  for (const { kind, limitMs, ...data } of found.events) {
    const isOfRecords = row.fresh.records !== undefined && kind !== 'recovered';
    const records = isOfRecords ? overdueRecords(store, target.target, data, limitMs) : undefined;
    change.tell({
      type: `objective.${kind}`,
      ...subjectsOf(target),
      data: { ...data, ...defined({ records }) },
    });
    if (kind === 'error') reportLate(store, change, target, { ...data, limitMs });
  }
  if (found.events.some(({ kind }) => kind === 'recovered')) endLate(store, change, target);
}

/** Reports an objective that is broken, in the ticket of its source. */
function reportLate(
  store: Store,
  change: Change,
  target: TargetRow,
  { ageMs, limitMs, field }: { readonly ageMs: number; readonly limitMs: number; readonly field?: string },
): void {
  reportTrouble(
    store,
    change,
    { source: target.source, member: target.target },
    {
      at: change.at,
      symptoms: [
        { kind: 'late', measure: 'ageMs', observed: ageMs, expected: { high: limitMs }, ...defined({ field }) },
      ],
      samples: [target.url],
      projects: projectsOf(target),
    },
  );
}

/** Takes a target from the tickets of broken objectives once none of its objectives is. */
function endLate(store: Store, change: Change, { source, target }: TargetRow): void {
  const { episodes = {} } = store.schedule.get(target)?.fresh ?? {};
  if (Object.values(episodes).some(({ level }) => level === 'error')) return;
  endTrouble(store, change, { source, member: target }, ({ kind }) => kind === 'late');
}

/**
 * Tells the events of objectives that were exceeded by time alone, and schedules targets anew whose objectives begin or end to hold, for up
 * to `limit` targets. Returns the number of these targets, and the projects that scrape those whose due time changed. Rejects with
 * `StoreFullError` when the store has no room.
 */
export function tellAges(
  store: Store,
  limit: number,
): Promise<{ readonly count: number; readonly projects: ReadonlySet<string> }> {
  return store.write((change) => {
    const projects = new Set<string>();
    const rows = [...store.schedule.byCrossing({ before: change.at + 1, limit })];
    for (const row of rows) {
      const target = store.targets.get(row.target);
      if (target === undefined) {
        store.schedule.remove(row.target);
        continue;
      }
      if ((row.seasonAt ?? Infinity) <= change.at) followSeason(store, change, target, row);
      const owner = ownerOf(target);
      if (owner !== undefined && store.schedule.get(row.target)?.dueAt !== row.dueAt) projects.add(owner);
      // Many records were written: the other rows are for the next change.
      if (!makeAges(store, target)) break;
      freshen(store, change, target);
    }
    return { count: rows.length, projects };
  });
}

/**
 * Reschedules a target when the season of one of its objectives begins or ends. Emits `objective.recovered` for each episode of an
 * objective that no longer holds.
 */
function followSeason(store: Store, change: Change, target: TargetRow, { fresh: before }: ScheduleRow): void {
  scheduleNext(store, change, target);
  const { fresh: after } = store.schedule.get(target.target) ?? {};
  for (const [field, { sinceAt = change.at }] of Object.entries(before?.episodes ?? {})) {
    if (before === undefined || after?.episodes?.[field] !== undefined) continue;
    const ageMs = Math.max(0, change.at - verifiedAt(before, field));
    const data = { at: change.at, ageMs, sinceAt, ...(field !== '' && { field }) };
    change.tell({ type: 'objective.recovered', ...subjectsOf(target), data });
    endLate(store, change, target);
  }
}

/** The plan of one day for one target. */
export interface PlannedTarget {
  readonly target: number;
  /** The `since` of the schedule row from which the plan was made. */
  readonly since: number;
  readonly bucket: Bucket;
  readonly turns: readonly number[];
  /** Instant at which the next day begins. */
  readonly planAt: number;
}

/**
 * Writes a part of a day's plan: the turns of each target with their costs. A target that had a turn meanwhile, has
 * another pace or rests is skipped, to be planned anew. Returns the ids of the projects that scrape those whose due time changed.
 * Rejects with `StoreFullError` when the store has no room.
 */
export function writePlan(store: Store, all: readonly PlannedTarget[]): Promise<ReadonlySet<string>> {
  return store.write((change) => {
    const projects = new Set<string>();
    for (const { target: number, since, bucket, turns, planAt } of all) {
      const row = store.schedule.get(number);
      const target = store.targets.get(number);
      if (row?.pace.kind !== 'tokens' || target === undefined || row.rest !== undefined || row.since !== since)
        continue;
      const planned: ScheduleRow = { ...row, pace: { ...row.pace, bucket, planned: turns, planAt } };
      const next = store.scheduling.next(target, planned, contextOf(store, change, target));
      store.schedule.set(next);
      const owner = ownerOf(target);
      if (owner !== undefined && next.dueAt !== row.dueAt) projects.add(owner);
    }
    return projects;
  });
}

/** Records that one transaction reads: some milliseconds. */
const recordsAtOnce = 300;

/**
 * Schedules the targets of some sources anew, or all targets, because an input of their schedules has changed; in small
 * transactions. Rejects with `StoreFullError` when the store has no room.
 */
export async function reschedule(store: Store, sources: Iterable<string> | 'all'): Promise<void> {
  if (sources === 'all') {
    for await (const rows of inSlices(store.schedule.rowsAfter, writtenAtOnce)) {
      const numbers = rows.map(({ target }) => target);
      await again(store, numbers);
    }
  } else {
    for await (const numbers of targetsOfSources(store, sources)) await again(store, numbers);
  }
}

/**
 * Schedules targets anew in as many transactions as the reading of their records takes, and leaves the event loop free
 * between two.
 */
async function again(store: Store, numbers: readonly number[]): Promise<void> {
  for (let done = 0; done < numbers.length;) {
    if (done > 0) await setImmediate();
    done += await store.write((change) => againFirst(store, change, numbers.slice(done)));
  }
}

/** Schedules the first of some targets anew, until enough records were read. Returns the number of these targets. */
function againFirst(store: Store, change: Change, numbers: readonly number[]): number {
  let records = 0;
  for (const [index, number] of numbers.entries()) {
    const target = store.targets.get(number);
    if (target !== undefined) records += scheduleNext(store, change, target);
    if (records >= recordsAtOnce) return index + 1;
  }
  return numbers.length;
}
