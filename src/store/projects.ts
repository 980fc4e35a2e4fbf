import { defined } from '../defined.ts';
import type { Ending } from './ending.ts';
import { abandonTarget } from './remove-targets.ts';
import type { Change, Store } from './store.ts';
import { isFinished, statusFor } from './tables/project-status.ts';
import type { ProjectRow, TargetRow } from './tables/rows.ts';
import { leave, type TargetSpec, unlessEmpty, watchAll } from './watch-places.ts';

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
      ...defined({ sinks: unlessEmpty(sinks), metrics: unlessEmpty(metrics), rules: unlessEmpty(rules) }),
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
