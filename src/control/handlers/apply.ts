import { writtenDuration } from '../../schema/duration.ts';
import { writtenHours } from '../../schedule/time/open-hours-schema.ts';
import { durationKeys, type ScheduleLevel } from '../../schedule/levels.ts';
import { addProject, archiveProject, type ProjectSpec, restoreProject, updateProject } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { AppliedChange } from '../methods/project.ts';
import { demandsWith } from './demands.ts';
import type { Ports } from './ports.ts';
import { trackedTargets } from './find.ts';
import { readProject, specsOf } from './project-spec.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects' | 'hosts' | 'schedule'>;

/** A change that applying the list makes, and how it is carried out; `ok` is false where somebody else was quicker. */
interface Step {
  readonly change: AppliedChange;
  carryOut(): Promise<{ readonly ok: boolean }>;
}

/** Creates the handler that makes the tracked projects equal to a list. */
export function applyHandlers(deps: Deps): Pick<Handlers, 'project.apply'> {
  return {
    'project.apply': async ({ projects, prune, dryRun }) => {
      const store = deps.store();
      refuseTwins(projects);
      // All addresses are made first, so that a list with a mistake changes nothing.
      const wanted = specsOf(projects.map((project, index) => readProject(project, index, deps)));
      const planned = wanted.map((spec) => stepsOf(store, spec));
      const surplus = prune ? surplusOf(store, new Set(wanted.map(({ id }) => id))) : [];
      const replaced = [...wanted.map(({ id }) => id), ...surplus].flatMap((id) => store.projects.get(id) ?? []);
      const infeasible = demandsWith(wanted, replaced, deps).infeasible();
      const steps = [...planned.flat(), ...surplus.map((id) => archiveStep(store, id))];
      if (!dryRun) {
        for (const step of steps) await carryOut(step);
        for (const id of new Set(steps.map(({ change }) => change.id))) deps.projects.look(id);
        deps.projects.reconcile();
      }
      return {
        changes: steps.map(({ change }) => change),
        unchanged: planned.filter(({ length }) => length === 0).length,
        applied: !dryRun,
        ...(infeasible.length > 0 && { infeasible }),
      };
    },
  };
}

/** Throws a `ControlError` where two entries of the list have one id. */
function refuseTwins(projects: readonly { readonly id: string }[]): void {
  const seen = new Set<string>();
  for (const { id } of projects) {
    if (seen.has(id)) throw new ControlError('invalid_params', `projects: "${id}" is in the list more than once`);
    seen.add(id);
  }
}

async function carryOut(step: Step): Promise<void> {
  if ((await step.carryOut()).ok) return;
  const { action, id } = step.change;
  throw new ControlError(
    'conflict',
    `${action} "${id}": somebody else changed it just now: what comes before it in the list is done, so apply it again`,
  );
}

function archiveStep(store: Store, id: string): Step {
  return { change: { id, action: 'archive', details: ['not in the list'] }, carryOut: () => archiveProject(store, id) };
}

/** Returns the steps that make a tracked project equal to one of the list; none where it is equal. */
function stepsOf(store: Store, spec: ProjectSpec): Step[] {
  const { id, ...rest } = spec;
  const row = store.projects.get(id);
  if (row === undefined) {
    const details = spec.targets.map(({ source, url }) => `+ ${source} ${url}`);
    return [{ change: { id, action: 'add', details }, carryOut: () => addProject(store, spec) }];
  }
  const details = [
    ...textChanges(row, spec),
    ...scheduleChanges(row, spec),
    ...targetChanges(trackedTargets(row, store), spec),
  ];
  // The list says all of a project: what it leaves out is the default again.
  const update = () => updateProject(store, id, { schedule: {}, ...rest });
  const restore = () => restoreProject(store, id);
  return [
    ...(details.length > 0 ? [{ change: { id, action: 'update', details } as const, carryOut: update }] : []),
    ...(row.status === 'archived'
      ? [{ change: { id, action: 'restore', details: ['was archived'] } as const, carryOut: restore }]
      : []),
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

function surplusOf(store: Store, wanted: ReadonlySet<string>): string[] {
  return Array.from(store.projects.rows())
    .filter(({ id, status }) => status === 'active' && !wanted.has(id))
    .map(({ id }) => id);
}

/** Formats a level's schedule on one line, in the words of its file: `every 1h`, or `default`. Equal schedules give equal texts. */
function scheduleText({ available, ...level }: ScheduleLevel = {}): string {
  const hours = available === undefined ? undefined : writtenHours(available);
  const told = Object.entries({ ...level, available: hours })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${valueText(key, value)}`);
  return told.length === 0 ? 'default' : told.join(', ');
}

function valueText(key: string, value: unknown): string {
  if (typeof value === 'number') return durationKeys.has(key) ? durationText(value) : String(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueText('', each)).join(', ')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{ ${entries.map(([name, each]) => `${name}: ${valueText(name, each)}`).join(', ')} }`;
}

function durationText(ms: number): string {
  return ms === 0 ? '0s' : writtenDuration(ms);
}
