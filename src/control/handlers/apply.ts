import { addProject, archiveProject, type ProjectSpec, restoreProject, updateProject } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { z } from 'zod';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { AppliedChange } from '../methods/project.ts';
import { demandsWith } from './demands.ts';
import type { HandlerDeps } from './deps.ts';
import { readProject, specsOf } from './project-spec.ts';
import { scheduleText } from './schedule-text.ts';
import { infeasibleView } from './views.ts';

type Change = z.infer<typeof AppliedChange>;

export function applyHandlers(deps: HandlerDeps): Pick<Handlers, 'project.apply'> {
  return {
    'project.apply': async ({ projects, prune, dryRun }) => {
      const store = deps.store();
      refuseTwins(projects);
      // All addresses are made first, so that a list with a mistake changes nothing.
      const wanted = specsOf(projects.map((project, index) => readProject(project, index, deps)));
      const planned = wanted.map((spec) => ({ spec, changes: changesOf(store, spec) }));
      const surplus = prune ? surplusOf(store, new Set(wanted.map(({ id }) => id))) : [];
      const replaced = [...wanted.map(({ id }) => id), ...surplus].flatMap((id) => store.projects.get(id) ?? []);
      const infeasible = demandsWith(wanted, replaced, deps).infeasible();
      if (!dryRun) {
        for (const { spec, changes } of planned) for (const { action } of changes) await carryOut(store, action, spec);
        for (const id of surplus) await archiveProject(store, id);
        for (const { spec, changes } of planned) if (changes.length > 0) deps.look(spec.id);
        for (const id of surplus) deps.look(id);
        deps.reconcile();
      }
      return {
        changes: [
          ...planned.flatMap(({ changes }) => changes),
          ...surplus.map((id): Change => ({ id, action: 'archive', details: ['not in the list'] })),
        ],
        unchanged: planned.filter(({ changes }) => changes.length === 0).length,
        applied: !dryRun,
        ...(infeasible.length > 0 && { infeasible: infeasible.map(infeasibleView) }),
      };
    },
  };
}

/** One id can be made equal to one entry only. */
function refuseTwins(projects: readonly { readonly id: string }[]): void {
  const seen = new Set<string>();
  for (const { id } of projects) {
    if (seen.has(id)) throw new ControlError('invalid_params', `projects: "${id}" is in the list more than once`);
    seen.add(id);
  }
}

async function carryOut(store: Store, action: Change['action'], spec: ProjectSpec): Promise<void> {
  const { ok } = await carriedOut(store, action, spec);
  if (!ok)
    throw new ControlError(
      'conflict',
      `${action} "${spec.id}": somebody else changed it just now: what comes before it in the list is done, so apply it again`,
    );
}

function carriedOut(
  store: Store,
  action: Change['action'],
  { id, ...spec }: ProjectSpec,
): Promise<{ readonly ok: boolean }> {
  switch (action) {
    case 'add':
      return addProject(store, { id, ...spec });
    case 'update':
      // A list says all of it: what it leaves out is the default again.
      return updateProject(store, id, { schedule: {}, ...spec });
    case 'restore':
      return restoreProject(store, id);
    case 'archive':
      return archiveProject(store, id);
    default:
      return action satisfies never;
  }
}

function changesOf(store: Store, spec: ProjectSpec): Change[] {
  const row = store.projects.get(spec.id);
  const { id } = spec;
  if (row === undefined)
    return [{ id, action: 'add', details: spec.targets.map(({ source, url }) => `+ ${source} ${url}`) }];
  const details = [
    ...textChanges(row, spec),
    ...scheduleChanges(row, spec),
    ...targetChanges(tracked(store, row), spec),
  ];
  return [
    ...(details.length > 0 ? [{ id, action: 'update' as const, details }] : []),
    ...(row.status === 'archived' ? [{ id, action: 'restore' as const, details: ['was archived'] }] : []),
  ];
}

function textChanges(row: ProjectRow, spec: ProjectSpec): string[] {
  return (['name', 'labels', 'multiplier'] as const).flatMap((field) => {
    const [before, after] = [JSON.stringify(row[field]), JSON.stringify(spec[field])];
    return before === after ? [] : [`${field}: ${before} → ${after}`];
  });
}

function targetChanges(targets: readonly TargetRow[], spec: ProjectSpec): string[] {
  const isOf = (target: TargetRow) => (place: ProjectSpec['targets'][number]) =>
    place.source === target.source && place.url === target.url;
  const gone = targets
    .filter((target) => !spec.targets.some(isOf(target)))
    .map(({ source, url }) => `- ${source} ${url}`);
  const others = spec.targets.flatMap((place) => {
    const target = targets.find((each) => isOf(each)(place));
    if (target === undefined) return [`+ ${place.source} ${place.url}`];
    const [before, after] = [scheduleText(target.schedule), scheduleText(place.schedule)];
    return before === after ? [] : [`${place.source}: ${before} → ${after}`];
  });
  return [...gone, ...others];
}

function scheduleChanges(row: ProjectRow, spec: ProjectSpec): string[] {
  const [before, after] = [scheduleText(row.schedule), scheduleText(spec.schedule)];
  return before === after ? [] : [`schedule: ${before} → ${after}`];
}

function tracked(store: Store, row: ProjectRow): TargetRow[] {
  return row.targets.flatMap((number) => store.targets.get(number) ?? []).filter(({ status }) => status !== 'disabled');
}

function surplusOf(store: Store, wanted: ReadonlySet<string>): string[] {
  return Array.from(store.projects.rows())
    .filter(({ id, status }) => status === 'active' && !wanted.has(id))
    .map(({ id }) => id);
}
