import { isDeepStrictEqual } from 'node:util';
import type { ScheduleLevel } from '../schedule/levels.ts';
import { ownerOf, type Watcher } from '../schedule/watchers.ts';
import type { SinkLink } from '../schema/sink-link.ts';
import { defined } from '../defined.ts';
import { isFinished, statusFor } from './tables/project-status.ts';
import { type Ending, endRunning, endTarget } from './ending.ts';
import { abandonTarget } from './remove-targets.ts';
import { putToRest, scheduleFirst, scheduleNext } from './schedule.ts';
import { askAgain } from './scrapes.ts';
import type { ProjectRow, TargetRow } from './tables/rows.ts';
import { inSlices, slicesOf } from './slices.ts';
import type { Change, Store } from './store.ts';

/** A target as it is asked for. Source and URL identify it. */
export interface TargetSpec {
  readonly source: string;
  readonly url: string;
  readonly schedule?: ScheduleLevel;
  readonly sinks?: readonly SinkLink[];
}

/** A project as it is asked for, with all its targets. */
export interface ProjectSpec extends Pick<
  ProjectRow,
  'id' | 'name' | 'labels' | 'multiplier' | 'schedule' | 'sinks' | 'metrics' | 'rules'
> {
  readonly targets: readonly TargetSpec[];
}

/**
 * Changes of a project; what is absent stays. `targets` lists all targets: a target that is missing there is disabled.
 */
export type ProjectUpdate = Partial<Omit<ProjectSpec, 'id'>>;

/** The result of adding a project. */
export type AddResult =
  | { readonly ok: true; readonly project: ProjectRow }
  | { readonly ok: false; readonly why: 'conflict' };

/** `changed` is false when the project was that way before. */
export type ProjectResult =
  | { readonly ok: true; readonly project: ProjectRow; readonly changed: boolean }
  | { readonly ok: false; readonly why: 'not_found' };

/**
 * Tracks a new project. The result is a conflict when its id is taken, also by an archived project. On disk when it
 * resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function addProject(store: Store, spec: ProjectSpec): Promise<AddResult> {
  return store.write((change) => addIn(store, change, spec), { durable: true });
}

/** Adds a project as `addProject` does, within a running change. */
export function addIn(store: Store, change: Change, { targets, ...spec }: ProjectSpec): AddResult {
  if (store.projects.has(spec.id)) return { ok: false, why: 'conflict' };
  const added: ProjectRow = { ...spec, status: 'active', createdAt: change.at, targets: [] };
  const project = { ...added, targets: watchAll(store, change, added, targets) };
  keep(store, change, 'add', project);
  return { ok: true, project };
}

/**
 * Changes a project, archived or not. On disk when it resolves. Rejects with `StoreFullError` when the store has no
 * room.
 */
export function updateProject(store: Store, id: string, update: ProjectUpdate): Promise<ProjectResult> {
  return store.write((change) => updateIn(store, change, id, update), { durable: true });
}

/** Changes a project as `updateProject` does, within a running change. */
export function updateIn(
  store: Store,
  change: Change,
  id: string,
  { targets, ...update }: ProjectUpdate,
): ProjectResult {
  return changeIn(store, change, id, 'update', (project) => {
    const wasFinished = isFinished(store, project);
    const { sinks, metrics, rules, ...others } = { ...project, ...update };
    const changed: ProjectRow = {
      ...others,
      ...defined({ sinks: linked(sinks), metrics: said(metrics), rules: said(rules) }),
    };
    const numbers = watchAll(store, change, changed, targets ?? placesOf(store, project));
    for (const target of watchedBy(store, project))
      if (!numbers.includes(target.target)) leave(store, change, target, id, removed);
    const updated = { ...changed, targets: [...new Set([...project.targets, ...numbers])] };
    // What was left to scrape may have been removed.
    if (!wasFinished && isFinished(store, updated)) change.tell({ type: 'project.finished', projects: [id], data: {} });
    return updated;
  });
}

const removed: Ending = {
  status: 'cancelled',
  failure: { code: 'disabled', message: 'the target was removed from its project' },
};

/**
 * Archives a project: what no other active project watches is cancelled and no longer due; its data stays. On disk when
 * it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function archiveProject(store: Store, id: string): Promise<ProjectResult> {
  return store.write((change) => archiveIn(store, change, id), { durable: true });
}

/** Archives a project as `archiveProject` does, within a running change. */
export function archiveIn(store: Store, change: Change, id: string): ProjectResult {
  return changeIn(store, change, id, 'archive', (project) => {
    if (project.status === 'archived') return undefined;
    for (const target of watchedBy(store, project)) leave(store, change, target, id, archived, 'for a while');
    return { ...project, status: 'archived', archivedAt: change.at };
  });
}

const archived: Ending = { status: 'cancelled', failure: { code: 'archived', message: 'the project was archived' } };

/**
 * Restores an archived project: its active targets that no other project watches are scraped after the initial delay of
 * new ones. On disk when it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function restoreProject(store: Store, id: string): Promise<ProjectResult> {
  return store.write((change) => restoreIn(store, change, id), { durable: true });
}

/** Restores a project as `restoreProject` does, within a running change. */
export function restoreIn(store: Store, change: Change, id: string): ProjectResult {
  return changeIn(store, change, id, 'restore', (project) => {
    if (project.status === 'active') return undefined;
    const { archivedAt: _, ...rest } = project;
    const restored = { ...rest, status: 'active' } as const;
    watchAll(store, change, restored, placesOf(store, project));
    return restored;
  });
}

/**
 * Deletes a project, archived or not, within a running change. Its targets that no project watches any more, not even an archived one, are
 * removed by `removeTargets`, which the caller calls then.
 *
 * @param records - whether the records and the history of these targets go as well.
 */
export function deleteIn(store: Store, change: Change, id: string, records: boolean): ProjectResult {
  const project = store.projects.get(id);
  if (project === undefined) return { ok: false, why: 'not_found' };
  for (const target of watchedBy(store, project)) leave(store, change, target, id, deleted);
  for (const number of project.targets) {
    const target = store.targets.get(number);
    if (target?.watchers.length === 0) abandonTarget(store, target, records);
  }
  store.projects.remove(id);
  const { name, labels, multiplier, targets } = project;
  change.tell({ type: 'project.deleted', projects: [id], data: { name, labels, multiplier, targets, records } });
  return { ok: true, project, changed: true };
}

const deleted: Ending = { status: 'cancelled', failure: { code: 'deleted', message: 'the project was deleted' } };

const eventType = {
  add: 'project.added',
  update: 'project.updated',
  archive: 'project.archived',
  restore: 'project.restored',
} as const;

/** Changes a project that exists; `make` returns `undefined` when there is nothing to do. */
function changeIn(
  store: Store,
  change: Change,
  id: string,
  kind: keyof typeof eventType,
  make: (project: ProjectRow) => ProjectRow | undefined,
): ProjectResult {
  const project = store.projects.get(id);
  if (project === undefined) return { ok: false, why: 'not_found' };
  const made = make(project);
  if (made === undefined) return { ok: true, project, changed: false };
  keep(store, change, kind, made);
  return { ok: true, project: made, changed: true };
}

function keep(store: Store, change: Change, kind: keyof typeof eventType, project: ProjectRow): void {
  store.projects.put(project.id, project);
  const { name, labels, multiplier, targets } = project;
  change.tell({ type: eventType[kind], projects: [project.id], data: { name, labels, multiplier, targets } });
}

/** The targets that a project names. */
function watchedBy(store: Store, { id, targets }: ProjectRow): TargetRow[] {
  return targets
    .flatMap((number) => store.targets.get(number) ?? [])
    .filter((row) => statusFor(id, row) !== 'disabled');
}

/** Returns a project as it would have been asked for, with the targets that it names. */
export function specOf(store: Store, project: ProjectRow): ProjectSpec {
  const { id, name, labels, multiplier, schedule, sinks, metrics, rules } = project;
  return {
    id,
    name,
    labels,
    multiplier,
    ...defined({ schedule, sinks, metrics, rules }),
    targets: placesOf(store, project),
  };
}

/** The places that a project names, with what it says of them. */
function placesOf(store: Store, project: ProjectRow): TargetSpec[] {
  return watchedBy(store, project).map(({ source, url, watchers }) => {
    const own = watchers.find((each) => each.project === project.id);
    return { source, url, ...defined({ schedule: own?.schedule, sinks: own?.sinks }) };
  });
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
      schedule: said(spec.schedule),
      projectSchedule: said(schedule),
      multiplier: multiplier === 1 ? undefined : multiplier,
      sinks: linked(spec.sinks),
      isAway: status === 'archived' ? (true as const) : undefined,
    }),
  };
}

/** The links, unless there are none. */
function linked(sinks: readonly SinkLink[] | undefined): readonly SinkLink[] | undefined {
  return sinks === undefined || sinks.length === 0 ? undefined : sinks;
}

/** A mapping, unless it says nothing. */
function said<T extends object>(mapping: T | undefined): T | undefined {
  return mapping === undefined || Object.keys(mapping).length === 0 ? undefined : mapping;
}

/** Makes a project a watcher of these places. Returns the numbers of their targets, in this order, each once. */
function watchAll(store: Store, change: Change, project: ProjectRow, places: readonly TargetSpec[]): number[] {
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
function leave(
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

/** Whether a project is to run: it is active, and not finished. */
function isToRun(store: Store, row: ProjectRow): boolean {
  return row.status === 'active' && !isFinished(store, row);
}

/** Rows that are read in one go: a millisecond or two of the event loop. */
const rowsAtOnce = 200;

/** The projects that are to run: the active ones that are not finished. */
export class ActiveProjects {
  /** The state of the counts when all projects were last read, and the number of projects to run then. */
  #read = { moves: -1, projects: 0 };

  /**
   * Yields the ids of the projects to run, slice by slice.
   *
   * @param among - looks at these projects only.
   */
  async *ids(store: Store, among?: ReadonlySet<string>): AsyncGenerator<readonly string[]> {
    if (among !== undefined) {
      for await (const ids of slicesOf([...among], rowsAtOnce))
        yield ids.filter((id) => {
          const row = store.projects.get(id);
          return row !== undefined && isToRun(store, row);
        });
      return;
    }
    const { moves } = store.counts.all();
    let projects = 0;
    for await (const rows of inSlices(store.projects.rowsAfter, rowsAtOnce)) {
      const ids = rows.filter((row) => isToRun(store, row)).map(({ id }) => id);
      projects += ids.length;
      yield ids;
    }
    this.#read = { moves, projects };
  }

  /**
   * Whether there were `count` projects to run when `ids` last read all of them, and the status of none has changed
   * since. To read very many projects takes a good part of a second.
   */
  isStill({ counts }: Store, count: number): boolean {
    return counts.all().moves === this.#read.moves && count === this.#read.projects;
  }
}
