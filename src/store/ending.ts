import { isDeepStrictEqual } from 'node:util';
import { noChanges } from './observe.ts';
import type { RecordRow, ScrapeRow, TargetRow } from './rows.ts';
import type { Rest } from './schedule-row.ts';
import type { Change, Scheduled, Store, Turn } from './store.ts';
import { addWaste } from './waste.ts';

/** How a scrape ends. */
export interface Ending {
  readonly status: 'complete' | 'failed' | 'aborted' | 'cancelled';
  /** Why it ended where it did. */
  readonly reason?: string;
  readonly failure?: { readonly code: string; readonly message: string };
}

const eventType = {
  complete: 'scrape.completed',
  failed: 'scrape.failed',
  aborted: 'scrape.aborted',
  cancelled: 'scrape.cancelled',
} as const;

/** Ends a scrape that runs or waits, and tells it; returns its row. Those of its target are the caller's. */
export function endScrape(store: Store, change: Change, scrape: ScrapeRow, ending: Ending): ScrapeRow {
  const { status, reason, failure } = ending;
  const why = { ...(reason !== undefined && { endReason: reason }), ...(failure !== undefined && { failure }) };
  const ended: ScrapeRow = { ...scrape, status, endedAt: change.at, ...why };
  store.scrapes.move(ended);
  if (ended.steps > 0) addWaste(store, ended);
  change.tell({
    type: eventType[status],
    project: scrape.project,
    source: scrape.source,
    target: scrape.target,
    scrape: scrape.scrape,
    data: {
      reason: scrape.reason,
      steps: scrape.steps,
      counts: scrape.counts,
      ...(scrape.errors !== undefined && { errors: scrape.errors }),
      ...(scrape.repeated !== undefined && { repeated: scrape.repeated }),
      ...why,
    },
  });
  return ended;
}

/** Ends the scrape under way of a target, if any. Returns the target, of a new epoch, for the caller to store. */
export function endRunning(store: Store, change: Change, target: TargetRow, ending: Ending): TargetRow {
  const { running, ...rest } = target;
  const scrape = running === undefined ? undefined : store.scrapes.get(running);
  if (scrape?.status === 'running') endScrape(store, change, scrape, ending);
  return { ...rest, epoch: target.epoch + 1 };
}

/** Ends the scrape that waits to begin, if any. Returns the target for the caller to store. */
export function endWaiting(store: Store, change: Change, target: TargetRow, ending: Ending): TargetRow {
  const { waiting, ...rest } = target;
  const scrape = waiting === undefined ? undefined : store.scrapes.get(waiting);
  if (scrape?.status === 'waiting') endScrape(store, change, scrape, ending);
  const schedule = store.schedule.get(target.target);
  if (schedule?.manualAt !== undefined) {
    const { manualAt: _, ...unasked } = schedule;
    store.schedule.set(unasked);
  }
  return rest;
}

/**
 * Stops all that is under way or planned for a target. Returns the target, of a new epoch, for the caller to store.
 *
 * @param rest - remembers how the target stood, for when it begins again; by default all of that is forgotten.
 */
export function halt(store: Store, change: Change, target: TargetRow, ending: Ending, rest?: Rest): TargetRow {
  const halted = endRunning(store, change, endWaiting(store, change, target, ending), ending);
  if (rest === undefined) store.schedule.remove(target.target);
  else putToRest(store, change, target, rest);
  return halted;
}

/** Has nothing of a target be due; what is promised of it, and what it has to spend, stands as it did. */
export function putToRest(store: Store, change: Change, target: TargetRow, rest: Rest): void {
  const row = store.schedule.get(target.target);
  if (row === undefined) return;
  const resting = store.scheduling.next(target, { ...row, rest }, scheduled(store, change, target));
  const isParked = rest === 'parked' || target.status === 'parked';
  const hasMemory = resting.fresh !== undefined || resting.pace.kind === 'tokens';
  if (isParked || hasMemory) store.schedule.set(resting);
  else store.schedule.remove(target.target);
}

/** Has a target scraped from its beginning on; what is remembered of it stands. */
export function scheduleFirst(store: Store, change: Change, target: TargetRow): void {
  const row = store.schedule.get(target.target);
  store.schedule.set(store.scheduling.first(target, scheduled(store, change, target), row));
}

/**
 * Has a target that is scheduled scraped again, after a turn or as what decides has changed; leaves alone one that is not scheduled.
 * Returns how many records were read for it: none but where fields of it are promised anew.
 */
export function scheduleNext(store: Store, change: Change, target: TargetRow, turn?: Turn): number {
  const row = store.schedule.get(target.target);
  if (row === undefined) return 0;
  const about = scheduled(store, change, target);
  const next = store.scheduling.next(target, row, about, turn);
  if (!isDeepStrictEqual(next, row)) store.schedule.set(next);
  return about.recordsRead();
}

/** Of a target, so many records tell when their fields were last verified. */
const recordsThatTell = 20;

/** What something depends on besides its target, and how many records were read of it so far. */
export function scheduled(
  { projects, schedule, records }: Store,
  { at }: Change,
  { target, project }: TargetRow,
): Scheduled & { recordsRead(): number } {
  let first: readonly RecordRow[] | undefined;
  return {
    at,
    project: projects.get(project),
    places: schedule,
    seenAt(field) {
      // Once for all fields: a record is decoded as a whole.
      first ??= Array.from(records.ofTarget(target, { limit: recordsThatTell }));
      const seen = first.flatMap(({ fields }) => fields[field]?.verifiedAt ?? []);
      return seen.length === 0 ? undefined : Math.max(...seen);
    },
    recordsRead: () => first?.length ?? 0,
  };
}

/** What a scrape has done before its first step. */
export const nothingDone = { steps: 0, bytes: 0, counts: noChanges } satisfies Partial<ScrapeRow>;
