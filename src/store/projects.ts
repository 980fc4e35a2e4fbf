import { isDeepStrictEqual } from 'node:util';
import type { ScheduleLevel } from '../definition/schedule.ts';
import { isFinished } from './commit.ts';
import { type Ending, halt, putToRest, scheduleFirst, scheduleNext } from './ending.ts';
import type { ProjectRow, TargetRow } from './rows.ts';
import type { Rest } from './schedule-row.ts';
import type { Change, Store } from './store.ts';

/** A project's place on one source, as asked for; source and URL say which one it is. */
export interface TargetSpec {
  readonly source: string;
  readonly url: string;
  readonly schedule?: ScheduleLevel;
}

export interface ProjectSpec extends Pick<ProjectRow, 'id' | 'name' | 'labels' | 'multiplier' | 'schedule'> {
  readonly targets: readonly TargetSpec[];
}

/** What is not named stays. `targets` names all of them: one that is missing is disabled. */
export type ProjectUpdate = Partial<Omit<ProjectSpec, 'id'>>;

export type AddResult =
  | { readonly ok: true; readonly project: ProjectRow }
  | { readonly ok: false; readonly why: 'conflict' };

/** `changed` is false when the project was that way before. */
export type ProjectResult =
  | { readonly ok: true; readonly project: ProjectRow; readonly changed: boolean }
  | { readonly ok: false; readonly why: 'not_found' };

/** Tracks a new project. A conflict when its id is taken, also by an archived one. On disk when it resolves, as all changes here are. */
export function addProject(store: Store, { targets, ...spec }: ProjectSpec): Promise<AddResult> {
  return store.write(
    (change) => {
      if (store.projects.has(spec.id)) return { ok: false, why: 'conflict' };
      const born: ProjectRow = { ...spec, status: 'active', createdAt: change.at, targets: [] };
      // When its targets are due follows from it as well.
      store.projects.put(born.id, born);
      const project = { ...born, targets: targets.map((target) => addTarget(store, change, born, target)) };
      keep(store, change, 'add', project);
      return { ok: true, project };
    },
    { durable: true },
  );
}

/** Changes what is named of a project, archived or not. */
export function updateProject(store: Store, id: string, { targets, ...update }: ProjectUpdate): Promise<ProjectResult> {
  return changeProject(store, id, 'update', (change, project) => {
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

/** Stops tracking a project: what runs of it is cancelled and nothing of it is due; its data stays. */
export function archiveProject(store: Store, id: string): Promise<ProjectResult> {
  return changeProject(store, id, 'archive', (change, project) => {
    if (project.status === 'archived') return undefined;
    for (const target of targetsOf(store, project))
      store.targets.put(halt(store, change, target, archived, restOf(target)));
    return { ...project, status: 'archived', archivedAt: change.at };
  });
}

const archived: Ending = { status: 'cancelled', failure: { code: 'archived', message: 'the project was archived' } };

/** What is finished is promised no more. */
function restOf({ status }: TargetRow): Rest | undefined {
  return status === 'finished' ? undefined : 'set-aside';
}

/** Tracks an archived project again: its active targets are scraped after the initial delay of new ones. */
export function restoreProject(store: Store, id: string): Promise<ProjectResult> {
  return changeProject(store, id, 'restore', (change, project) => {
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

/** Runs one change of a project that exists; `make` returns nothing when there is nothing to do. */
function changeProject(
  store: Store,
  id: string,
  kind: keyof typeof eventType,
  make: (change: Change, project: ProjectRow) => ProjectRow | undefined,
): Promise<ProjectResult> {
  return store.write(
    (change) => {
      const project = store.projects.get(id);
      if (project === undefined) return { ok: false, why: 'not_found' };
      const made = make(change, project);
      if (made === undefined) return { ok: true, project, changed: false };
      keep(store, change, kind, made);
      return { ok: true, project: made, changed: true };
    },
    { durable: true },
  );
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
    ...(schedule !== undefined && { schedule }),
  }));
  if (project.status === 'active') scheduleFirst(store, change, row);
  return row.target;
}

function targetsOf(store: Store, project: ProjectRow): TargetRow[] {
  return project.targets.map((number) => store.targets.get(number)).filter((target) => target !== undefined);
}

/** Makes a project's targets those asked for: adds, enables again, changes the schedule of, and disables. Returns all their numbers. */
function updateTargets(store: Store, change: Change, project: ProjectRow, wanted: readonly TargetSpec[]): number[] {
  const known = targetsOf(store, project);
  const wantedOf = (target: TargetRow): TargetSpec | undefined => wanted.find((spec) => isPlaceOf(spec, target));
  for (const target of known) {
    const spec = wantedOf(target);
    if (spec !== undefined) adjust(store, change, project, target, spec);
    else if (target.status !== 'disabled')
      store.targets.put({ ...halt(store, change, target, removed, restOf(target)), status: 'disabled' });
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
  const adjusted: TargetRow = { ...rest, ...(schedule !== undefined && { schedule }) };
  if (target.status === 'disabled') {
    const enabled: TargetRow = { ...adjusted, status: 'active' };
    store.targets.put(enabled);
    if (project.status === 'active') scheduleFirst(store, change, enabled);
  } else if (!isDeepStrictEqual(schedule, old)) {
    store.targets.put(adjusted);
    scheduleNext(store, change, adjusted);
  }
}
