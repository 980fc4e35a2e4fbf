import { isDeepStrictEqual } from 'node:util';
import type { ScheduleLevel } from '../schedule/levels.ts';
import { defined } from '../defined.ts';
import { isFinished } from './tables/project-status.ts';
import { type Ending, endTarget } from './ending.ts';
import { putToRest, scheduleFirst, scheduleNext } from './schedule.ts';
import type { ProjectRow, TargetRow } from './tables/rows.ts';
import type { Rest } from '../schedule/row.ts';
import { inSlices, slicesOf } from './slices.ts';
import type { Change, Store } from './store.ts';

/** A target as it is asked for. Source and URL identify it within its project. */
export interface TargetSpec {
  readonly source: string;
  readonly url: string;
  readonly schedule?: ScheduleLevel;
}

/** A project as it is asked for, with all its targets. */
export interface ProjectSpec extends Pick<ProjectRow, 'id' | 'name' | 'labels' | 'multiplier' | 'schedule'> {
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
  // The due times of its targets are computed from the stored row.
  store.projects.put(added.id, added);
  const project = { ...added, targets: targets.map((target) => addTarget(store, change, added, target)) };
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
    const changed = { ...project, ...update };
    store.projects.put(id, changed);
    const numbers = targets === undefined ? project.targets : updateTargets(store, change, changed, targets);
    const updated = { ...changed, targets: numbers };
    if (update.schedule !== undefined)
      for (const target of targetsOf(store, updated)) scheduleNext(store, change, target);
    // What was left to scrape may have been removed.
    if (!wasFinished && isFinished(store, updated)) change.tell({ type: 'project.finished', project: id, data: {} });
    return updated;
  });
}

/**
 * Archives a project: its scrapes are cancelled and nothing of it is due; its data stays. On disk when it resolves.
 * Rejects with `StoreFullError` when the store has no room.
 */
export function archiveProject(store: Store, id: string): Promise<ProjectResult> {
  return store.write((change) => archiveIn(store, change, id), { durable: true });
}

/** Archives a project as `archiveProject` does, within a running change. */
export function archiveIn(store: Store, change: Change, id: string): ProjectResult {
  return changeIn(store, change, id, 'archive', (project) => {
    if (project.status === 'archived') return undefined;
    for (const target of targetsOf(store, project))
      store.targets.put(endTarget(store, change, target, archived, restOf(target)));
    return { ...project, status: 'archived', archivedAt: change.at };
  });
}

const archived: Ending = { status: 'cancelled', failure: { code: 'archived', message: 'the project was archived' } };

/**
 * How the schedule row rests of a target that is archived or removed; a finished target keeps none.
 */
function restOf({ status }: TargetRow): Rest | undefined {
  return status === 'finished' ? undefined : 'set-aside';
}

/**
 * Restores an archived project: its active targets are scraped after the initial delay of new ones. On disk when it
 * resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function restoreProject(store: Store, id: string): Promise<ProjectResult> {
  return store.write((change) => restoreIn(store, change, id), { durable: true });
}

/** Restores a project as `restoreProject` does, within a running change. */
export function restoreIn(store: Store, change: Change, id: string): ProjectResult {
  return changeIn(store, change, id, 'restore', (project) => {
    if (project.status === 'active') return undefined;
    for (const target of targetsOf(store, project)) {
      if (target.status === 'active') scheduleFirst(store, change, target);
      else if (target.status === 'parked') putToRest(store, change, target, 'parked');
    }
    const { archivedAt: _, ...rest } = project;
    return { ...rest, status: 'active' };
  });
}

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
  change.tell({ type: eventType[kind], project: project.id, data: { name, labels, multiplier, targets } });
  change.log({ kind: `project.${kind}`, project: project.id });
}

function addTarget(store: Store, change: Change, project: Pick<ProjectRow, 'id' | 'status'>, spec: TargetSpec): number {
  const { source, url, schedule } = spec;
  const row = store.targets.add((target) => ({
    target,
    project: project.id,
    source,
    url,
    status: 'active',
    epoch: 1,
    settled: 0,
    createdAt: change.at,
    crashes: { recent: [], inRow: 0, total: 0 },
    ...defined({ schedule }),
  }));
  if (project.status === 'active') scheduleFirst(store, change, row);
  return row.target;
}

function targetsOf(store: Store, project: ProjectRow): TargetRow[] {
  return project.targets.map((number) => store.targets.get(number)).filter((target) => target !== undefined);
}

/**
 * Makes the targets of a project equal to `wanted`: adds, enables, disables, and changes schedules. Returns the numbers
 * of all its targets.
 */
function updateTargets(store: Store, change: Change, project: ProjectRow, wanted: readonly TargetSpec[]): number[] {
  const known = targetsOf(store, project);
  const wantedOf = (target: TargetRow): TargetSpec | undefined => wanted.find((spec) => isPlaceOf(spec, target));
  for (const target of known) {
    const spec = wantedOf(target);
    if (spec !== undefined) adjust(store, change, project, target, spec);
    else if (target.status !== 'disabled')
      store.targets.put({ ...endTarget(store, change, target, removed, restOf(target)), status: 'disabled' });
  }
  const missing = wanted.filter((spec) => !known.some((target) => isPlaceOf(spec, target)));
  return [...project.targets, ...missing.map((spec) => addTarget(store, change, project, spec))];
}

const removed: Ending = {
  status: 'cancelled',
  failure: { code: 'disabled', message: 'the target was removed from its project' },
};

function isPlaceOf(spec: TargetSpec, target: TargetRow): boolean {
  return spec.source === target.source && spec.url === target.url;
}

function adjust(store: Store, change: Change, project: ProjectRow, target: TargetRow, { schedule }: TargetSpec): void {
  const { schedule: old, ...rest } = target;
  const adjusted: TargetRow = { ...rest, ...defined({ schedule }) };
  if (target.status === 'disabled') {
    const enabled: TargetRow = { ...adjusted, status: 'active' };
    store.targets.put(enabled);
    if (project.status === 'active') scheduleFirst(store, change, enabled);
  } else if (!isDeepStrictEqual(schedule, old)) {
    store.targets.put(adjusted);
    scheduleNext(store, change, adjusted);
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
