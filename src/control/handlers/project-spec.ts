import { pathText } from '../../definition/problem.ts';
import { type KnownSources, type ProjectIssue, projectIssues, promiseIssues } from '../../definition/project-issues.ts';
import type { ScheduleLevel } from '../../definition/schedule.ts';
import type { ProjectSpec, TargetSpec } from '../../store/projects.ts';
import { ControlError } from '../error.ts';
import { levelOf } from '../methods/pace.ts';
import type { ListedProjectInput } from '../methods/project.ts';
import type { TargetInput } from '../methods/target.ts';
import type { HandlerDeps } from './deps.ts';
import { targetUrl } from './source.ts';

type Deps = Pick<HandlerDeps, 'catalogue'>;

/** What a refusal tells of at most. */
const maxTold = 20;

/** Something wrong with a project, and who it is. */
interface Fault extends ProjectIssue {
  /** Missing for one that has no id yet. */
  readonly project?: string | undefined;
}

/** A project as it is to be stored, or everything that is wrong between it and its sources. */
export type ReadProject =
  | { readonly ok: true; readonly spec: ProjectSpec }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Reads a project with all its targets.
 *
 * @param index - where it stands in a list.
 */
export function readProject(given: ListedProjectInput, index: number, deps: Deps): ReadProject {
  const faults = [...projectIssues(given, knownSources(deps))].map((issue): Fault => ({
    ...issue,
    project: given.id,
    path: ['projects', index, ...issue.path],
  }));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, spec: specOf(given, deps) };
}

/** The projects of a list; throws a `ControlError` that tells all that is wrong with any of them. */
export function specsOf(read: readonly ReadProject[]): ProjectSpec[] {
  const faults = read.flatMap((each) => (each.ok ? [] : each.faults));
  if (faults.length > 0) throw refusal(faults);
  return read.flatMap((each) => (each.ok ? each.spec : []));
}

/**
 * A project with all its targets, as it is stored; throws a `ControlError` that tells all that is wrong with it.
 *
 * @param newId - of one that came without.
 */
export function projectSpec(
  given: Omit<ListedProjectInput, 'id'> & { readonly id?: string },
  newId: string,
  deps: Deps,
): ProjectSpec {
  refuse(given.id, projectIssues(given, knownSources(deps)));
  return specOf({ ...given, id: given.id ?? newId }, deps);
}

/** What a project's targets become, and what is promised of all of them; throws as `projectSpec` does. */
export function targetSpecs(
  id: string,
  targets: readonly TargetInput[],
  objectives: ScheduleLevel['objectives'],
  deps: Deps,
): TargetSpec[] {
  refuse(id, projectIssues({ objectives, targets }, knownSources(deps)));
  return targets.map((target) => targetSpec(target, deps));
}

/** Refuses a promise of a field that no source of a project's present targets has. */
export function refuseUndeclared(
  id: string,
  targets: readonly Pick<TargetSpec, 'source'>[],
  objectives: ScheduleLevel['objectives'],
  deps: Deps,
): void {
  refuse(id, promiseIssues(objectives, targets, knownSources(deps)));
}

function specOf({ id, name = id, labels, multiplier, targets, ...given }: ListedProjectInput, deps: Deps): ProjectSpec {
  return {
    id,
    name,
    labels,
    multiplier,
    ...scheduleIn(levelOf(given)),
    targets: targets.map((target) => targetSpec(target, deps)),
  };
}

/** The address that a target names, or that its parameters make. */
function targetSpec({ source: id, url, params, ...given }: TargetInput, { catalogue }: Deps): TargetSpec {
  const source = catalogue().sources.get(id)?.source;
  if (source === undefined) throw new ControlError('not_found', notLoaded(id));
  return { source: id, url: targetUrl(source, { url, params }), ...scheduleIn(levelOf(given)) };
}

function scheduleIn(schedule: ScheduleLevel): { readonly schedule?: ScheduleLevel } {
  return Object.keys(schedule).length > 0 ? { schedule } : {};
}

function knownSources({ catalogue }: Deps): KnownSources {
  return { byId: catalogue().sources, missing: notLoaded };
}

function notLoaded(id: string): string {
  return `no source "${id}" is loaded`;
}

function refuse(project: string | undefined, issues: Iterable<ProjectIssue>): void {
  const faults = Array.from(issues, (issue): Fault => ({ ...issue, project }));
  if (faults.length > 0) throw refusal(faults);
}

function refusal(faults: readonly Fault[]): ControlError {
  const told = faults.slice(0, maxTold);
  const more = faults.length > told.length ? [`and ${faults.length - told.length} more`] : [];
  const lines = told.map(({ project, path, message }) => {
    const name = project === undefined ? '' : `project "${project}": `;
    // Who it is says more than where it stands in the list.
    const within = path[0] === 'projects' ? path.slice(2) : path;
    return `${name}${pathText(within)}: ${message}`;
  });
  return new ControlError(
    faults.every(({ isMissing }) => isMissing) ? 'not_found' : 'invalid_params',
    [...lines, ...more].join('\n'),
    { issues: told.map(({ path, message }) => ({ path: pathText(path), message })) },
  );
}
