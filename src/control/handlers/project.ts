import { nanoid } from 'nanoid';
import { paceKeys, type ScheduleLevel } from '../../definition/schedule.ts';
import { addProject, archiveProject, type ProjectResult, restoreProject, updateProject } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import { levelOf } from '../methods/pace.ts';
import type { ProjectView } from '../methods/project.ts';
import type { HandlerDeps } from './deps.ts';
import { demandsBeside } from './demands.ts';
import { pausedBy } from './held-due.ts';
import { projectSpec, refuseUndeclared, targetSpecs } from './project-spec.ts';
import { withSource } from './resolve.ts';
import { sliceOf } from './slice.ts';
import { infeasibleView, projectView, statusOf } from './views.ts';

type Methods =
  | 'project.add'
  | 'project.list'
  | 'project.get'
  | 'project.update'
  | 'project.archive'
  | 'project.restore';

export function projectHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'project.add': async ({ targets, ...given }, { signal }) => {
      const known = await Promise.all(targets.map((target) => withSource(target, deps, signal)));
      const { id = nanoid() } = given;
      const added = await addProject(deps.store(), projectSpec({ ...given, targets: known }, id, deps));
      if (!added.ok) throw new ControlError('conflict', `project "${id}" exists already`);
      deps.reconcile();
      const paused = pausedBy(deps);
      const infeasible = demandsBeside(added.project, deps).infeasible().map(infeasibleView);
      return {
        ...projectView(added.project, deps),
        ...(paused !== undefined && { paused }),
        ...(infeasible.length > 0 && { infeasible }),
      };
    },

    'project.list': ({ status, label, source, after, limit }) => {
      const store = deps.store();
      const rows = store.projects.rows(after === undefined ? {} : { after });
      const { found, last } = sliceOf(rows, limit, (row) => matches(store, row, { status, label, source }));
      return { projects: found.map((row) => projectView(row, deps)), ...(last && { next: last.id }) };
    },

    'project.get': ({ id }) => projectView(findProject(deps.store(), id), deps),

    'project.update': async ({ id, name, labels, multiplier, targets, ...level }) => {
      const row = findProject(deps.store(), id);
      const schedule = scheduleChange(row.schedule, levelOf(level));
      const { objectives } = schedule ?? row.schedule ?? {};
      const specs = targets && targetSpecs(id, targets, objectives, deps);
      if (specs === undefined) refuseUndeclared(id, trackedBy(row, deps), objectives, deps);
      const updated = await updateProject(deps.store(), id, {
        ...(name !== undefined && { name }),
        ...(labels !== undefined && { labels }),
        ...(multiplier !== undefined && { multiplier }),
        ...(schedule !== undefined && { schedule }),
        ...(specs !== undefined && { targets: specs }),
      });
      return changed(id, updated, deps);
    },

    'project.archive': async ({ id }) => changed(id, await archiveProject(deps.store(), id), deps),
    'project.restore': async ({ id }) => changed(id, await restoreProject(deps.store(), id), deps),
  };
}

/** A project by its id; throws a `ControlError` where there is none. */
export function findProject(store: Store, id: string): ProjectRow {
  const row = store.projects.get(id);
  if (row === undefined) throw notFound(id);
  return row;
}

function trackedBy(row: ProjectRow, { store }: Pick<HandlerDeps, 'store'>): TargetRow[] {
  return row.targets
    .flatMap((number) => store().targets.get(number) ?? [])
    .filter(({ status }) => status !== 'disabled');
}

/** What a project's schedule becomes; nothing when it stays. A new pace takes the place of the one that was there. */
function scheduleChange(before: ScheduleLevel | undefined, change: ScheduleLevel): ScheduleLevel | undefined {
  if (Object.keys(change).length === 0) return undefined;
  if (!paceKeys.some((key) => change[key] !== undefined)) return { ...before, ...change };
  const { every: _every, cron: _cron, zone: _zone, tokens: _tokens, continuous: _continuous, ...kept } = before ?? {};
  const { objective: _objective, ...rest } = kept;
  return { ...rest, ...change };
}

/** Has the tree follow a change of a project that is durable already. */
export function changed(id: string, result: ProjectResult, deps: HandlerDeps): ProjectView {
  if (!result.ok) throw notFound(id);
  deps.look(id);
  deps.reconcile();
  return projectView(result.project, deps);
}

function matches(
  store: Store,
  row: ProjectRow,
  {
    status,
    label,
    source,
  }: {
    readonly status?: string | undefined;
    readonly label?: string | undefined;
    readonly source?: string | undefined;
  },
): boolean {
  const targets = row.targets.flatMap((number) => store.targets.get(number) ?? []);
  const own = statusOf(row, targets);
  return (
    (status === undefined ? own !== 'archived' : own === status) &&
    (label === undefined || row.labels.includes(label)) &&
    (source === undefined || targets.some((target) => target.source === source))
  );
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `no project "${id}"`);
}
