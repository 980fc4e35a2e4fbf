import { nanoid } from 'nanoid';
import {
  addProject,
  archiveProject,
  type ProjectResult,
  restoreProject,
  type TargetSpec,
  updateProject,
} from '../../store/projects.ts';
import type { ProjectRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { ProjectView } from '../methods/project.ts';
import type { TargetInput } from '../methods/target.ts';
import type { HandlerDeps } from './deps.ts';
import { withSource } from './resolve.ts';
import { sliceOf } from './slice.ts';
import { targetUrl } from './source.ts';
import { projectView, statusOf } from './views.ts';

type Methods =
  | 'project.add'
  | 'project.list'
  | 'project.get'
  | 'project.update'
  | 'project.archive'
  | 'project.restore';

export function projectHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'project.add': async ({ id = nanoid(), name = id, targets, ...spec }, { signal }) => {
      const known = await Promise.all(targets.map((target) => withSource(target, deps, signal)));
      const added = await addProject(deps.store(), {
        id,
        name,
        ...spec,
        targets: known.map((target) => targetSpec(target, deps)),
      });
      if (!added.ok) throw new ControlError('conflict', `project "${id}" exists already`);
      deps.reconcile();
      return projectView(added.project, deps);
    },

    'project.list': ({ status, label, source, after, limit }) => {
      const store = deps.store();
      const rows = store.projects.rows(after === undefined ? {} : { after });
      const { found, last } = sliceOf(rows, limit, (row) => matches(store, row, { status, label, source }));
      return { projects: found.map((row) => projectView(row, deps)), ...(last && { next: last.id }) };
    },

    'project.get': ({ id }) => projectView(findProject(deps.store(), id), deps),

    'project.update': async ({ id, targets, ...change }) => {
      const specs = targets?.map((target) => targetSpec(target, deps));
      const updated = await updateProject(deps.store(), id, {
        ...change,
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

/** The address that a target names, or that its parameters make. */
export function targetSpec(target: TargetInput, { catalogue }: Pick<HandlerDeps, 'catalogue'>): TargetSpec {
  const source = catalogue().sources.get(target.source)?.source;
  if (source === undefined) throw new ControlError('not_found', `no source "${target.source}" is loaded`);
  return {
    source: target.source,
    url: targetUrl(source, target),
    ...(target.everyMs !== undefined && { everyMs: target.everyMs }),
  };
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
