import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import type { ScheduleLevel } from '../schedule/levels.ts';
import { ownerOf, type Watcher } from '../schedule/watchers.ts';
import type { SinkLink } from '../schema/sink-link.ts';
import { type Ending, endRunning, endTarget } from './ending.ts';
import { putToRest, scheduleFirst, scheduleNext } from './schedule.ts';
import { askAgain } from './scrapes.ts';
import type { Change, Store } from './store.ts';
import { leaveTickets } from './tickets.ts';
import type { ProjectRow, TargetRow } from './tables/rows.ts';

/** A target as it is asked for. Source and URL identify it. */
export interface TargetSpec {
  readonly source: string;
  readonly url: string;
  readonly schedule?: ScheduleLevel;
  readonly sinks?: readonly SinkLink[];
}

/** A project as a watcher of one place. */
export function watcherOf(
  {
    id,
    schedule,
    multiplier,
    status,
  }: Pick<ProjectRow, 'id' | 'schedule' | 'multiplier'> & Partial<Pick<ProjectRow, 'status'>>,
  spec: Pick<TargetSpec, 'schedule' | 'sinks'>,
): Watcher {
  return {
    project: id,
    ...defined({
      schedule: unlessEmpty(spec.schedule),
      projectSchedule: unlessEmpty(schedule),
      multiplier: multiplier === 1 ? undefined : multiplier,
      sinks: unlessEmpty(spec.sinks),
      isAway: status === 'archived' ? (true as const) : undefined,
    }),
  };
}

/** Returns a list or a mapping, unless it is empty. */
export function unlessEmpty<T extends object>(given: T | undefined): T | undefined {
  return given === undefined || Object.keys(given).length === 0 ? undefined : given;
}

/** Makes a project a watcher of these places. Returns the numbers of their targets, in this order, each once. */
export function watchAll(store: Store, change: Change, project: ProjectRow, places: readonly TargetSpec[]): number[] {
  return [...new Set(places.map((place) => watch(store, change, place, watcherOf(project, place))))];
}

/** Adds a watcher to a place, or changes what it says, and schedules the target accordingly. Returns the target's number. */
function watch(store: Store, change: Change, { source, url }: TargetSpec, watcher: Watcher): number {
  const known = store.targets.at({ source, url });
  if (known === undefined) return begin(store, change, { source, url, watchers: [watcher] });
  const own = known.watchers.find(({ project }) => project === watcher.project);
  if (isDeepStrictEqual(own, watcher)) return known.target;
  // Who comes to a place that is finished wants to know how it stands now.
  const isAnew =
    known.status === 'disabled' || (known.status === 'finished' && own === undefined && watcher.isAway !== true);
  const watched = { ...known, watchers: withWatcher(known.watchers, watcher) };
  const target = isAnew ? anew(watched) : watched;
  store.targets.put(target);
  const isFirst = isAnew || ownerOf(known) === undefined;
  if (ownerOf(target) === undefined) return target.target;
  if (!isFirst) scheduleNext(store, change, target);
  else if (target.status === 'active')
    scheduleFirst(store, change, target, known.status === 'finished' ? 'unended' : undefined);
  else if (target.status === 'parked') putToRest(store, change, target, 'parked');
  return target.target;
}

function begin(store: Store, change: Change, place: Pick<TargetRow, 'source' | 'url' | 'watchers'>): number {
  const row = store.targets.add((target) => ({
    target,
    ...place,
    status: 'active',
    epoch: 1,
    settled: 0,
    createdAt: change.at,
    crashes: { recent: [], inRow: 0, total: 0 },
  }));
  if (ownerOf(row) !== undefined) scheduleFirst(store, change, row);
  return row.target;
}

/** The target as it is scraped again; its page is read whole, also where it is unchanged. */
function anew(target: TargetRow): TargetRow {
  const { copy: _, ...rest } = target;
  return { ...rest, status: 'active' };
}

/** A watcher keeps its place, unless it was away: then it comes last, and nothing under way changes hands. */
function withWatcher(watchers: readonly Watcher[], watcher: Watcher): Watcher[] {
  const at = watchers.findIndex(({ project, isAway }) => project === watcher.project && isAway === watcher.isAway);
  if (at >= 0) return watchers.with(at, watcher);
  return [...watchers.filter(({ project }) => project !== watcher.project), watcher];
}

/**
 * Takes a project from the watchers of a target, for good or for a while. Where another is active, that one goes on
 * at once with what was due or under way; else the target ends.
 */
export function leave(
  store: Store,
  change: Change,
  target: TargetRow,
  id: string,
  ending: Ending,
  how: 'for good' | 'for a while' = 'for good',
): void {
  const watchers = target.watchers.flatMap((each): Watcher | readonly Watcher[] => {
    if (each.project !== id) return each;
    return how === 'for good' ? [] : { ...each, isAway: true };
  });
  if (ownerOf({ watchers }) === undefined) {
    const ended = endTarget(store, change, target, ending, target.status === 'finished' ? undefined : 'set-aside');
    store.targets.put({ ...ended, watchers, ...(watchers.length === 0 && { status: 'disabled' }) });
    leaveTickets(store, change, target);
    return;
  }
  const isCut = ownerOf(target) === id;
  const scrape = isCut ? store.scrapes.runningOf(target) : undefined;
  const left = { ...(isCut ? endRunning(store, change, target, ending) : target), watchers };
  store.targets.put(left);
  if (scrape !== undefined) askAgain(store, change, left, scrape);
  const wasDue = (store.schedule.get(target.target)?.dueAt ?? Infinity) <= change.at;
  scheduleNext(store, change, left);
  const next = store.schedule.get(target.target);
  // The pace of those who stay may be slower than what was due.
  if (wasDue && next !== undefined && (next.dueAt ?? Infinity) > change.at) {
    store.schedule.set({ ...next, firstAt: change.at });
    scheduleNext(store, change, left);
  }
}
