import { nanoid } from 'nanoid';
import { lateConfirmIssues } from '../../definition/confirm-issues.ts';
import { pathText } from '../../definition/problem.ts';
import {
  type KnownSources,
  type ProjectIssue,
  projectIssues,
  objectiveIssues,
} from '../../definition/project-issues.ts';
import { levelOf, type ScheduleLevel } from '../../schedule/levels.ts';
import type { SinkLink } from '../../schema/sink-link.ts';
import { defined } from '../../defined.ts';
import { figureIssues } from '../../definition/figure-fields.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { TargetSpec } from '../../store/watch-places.ts';
import { ControlError } from '../error.ts';
import type { ListedProjectInput } from '../methods/project-input.ts';
import type { TargetInput } from '../methods/target.ts';
import type { Ports } from './ports.ts';
import { targetUrl } from './source.ts';

type Deps = Pick<Ports, 'catalogue' | 'clock'>;

/** The most faults that a refusal lists. */
const maxListed = 20;

/** Makes the id of a project that came without one; no id begins with `-`, as an option of a command does. */
export function newProjectId(): string {
  return nanoid().replace(/^-/, '_');
}

/** A fault of a project, with the project's id. */
interface Fault extends ProjectIssue {
  /** Missing where the project has no id yet. */
  readonly project?: string | undefined;
}

/** A project as it is to be stored, or all faults between the project and its sources. */
export type ReadProject =
  | { readonly ok: true; readonly spec: ProjectSpec }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Reads a project with all its targets.
 *
 * @param index - its place in the list, from 0.
 */
export function readProject(given: ListedProjectInput, index: number, deps: Deps): ReadProject {
  const faults = [...issuesOf(given, deps)].map((issue): Fault => ({
    ...issue,
    project: given.id,
    path: ['projects', index, ...issue.path],
  }));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, spec: specOf(given, deps) };
}

/** Yields what is wrong between a project with its targets and their sources. */
function* issuesOf(given: Omit<ListedProjectInput, 'id'>, deps: Deps): Generator<ProjectIssue> {
  yield* projectIssues(given, knownSources(deps));
  const targets = given.targets.map(({ source, ...target }) => ({ source, ...levelOf(target) }));
  yield* lateConfirmIssues(levelOf(given), targets, deps.catalogue().sources, deps.clock.now());
}

/** Returns the projects of a list. Throws a `ControlError` that lists all faults of all projects. */
export function specsOf(read: readonly ReadProject[]): ProjectSpec[] {
  const faults = read.flatMap((each) => (each.ok ? [] : each.faults));
  if (faults.length > 0) throw refusal(faults);
  return read.flatMap((each) => (each.ok ? each.spec : []));
}

/**
 * Returns a project as it is to be stored. Throws a `ControlError` that lists all its faults.
 *
 * @param newId - the id of a project that came without one.
 */
export function projectSpec(
  given: Omit<ListedProjectInput, 'id'> & { readonly id?: string },
  newId: string,
  deps: Deps,
): ProjectSpec {
  refuse(given.id, issuesOf(given, deps));
  return specOf({ ...given, id: given.id ?? newId }, deps);
}

/**
 * Returns a project's targets as they are to be stored. Throws a `ControlError` that lists all faults of targets
 * and objectives.
 */
export function targetSpecs(
  id: string,
  targets: readonly TargetInput[],
  objectives: ScheduleLevel['objectives'],
  deps: Deps,
  sinks?: readonly SinkLink[],
): TargetSpec[] {
  refuse(id, projectIssues({ objectives, targets, sinks }, knownSources(deps)));
  return targets.map((target) => targetSpec(target, deps));
}

/** Throws a `ControlError` where metrics or rules do not fit the sources of the project's targets. */
export function refuseFigures(
  { id, targets, metrics, rules }: Pick<ProjectSpec, 'id' | 'targets' | 'metrics' | 'rules'>,
  deps: Deps,
): void {
  refuse(id, figureIssues({ targets, metrics, rules }, knownSources(deps)));
}

/** Throws a `ControlError` where an objective is on a field that no source of the project's targets has. */
export function refuseUndeclared(
  id: string,
  targets: readonly Pick<TargetSpec, 'source'>[],
  objectives: ScheduleLevel['objectives'],
  deps: Deps,
): void {
  refuse(id, objectiveIssues(objectives, targets, knownSources(deps)));
}

/**
 * Throws a `ControlError` if a change causes new values of a field to be confirmed later than an objective allows. A field that was late
 * before the change is accepted, so that the project can still be changed.
 */
export function refuseLate(before: ProjectSpec, after: ProjectSpec, deps: Deps): void {
  const known = new Set(lateIn(before, deps).map(({ message }) => message));
  refuse(
    after.id,
    lateIn(after, deps).filter(({ message }) => !known.has(message)),
  );
}

function lateIn({ schedule = {}, targets }: ProjectSpec, { catalogue, clock }: Deps): ProjectIssue[] {
  const levels = targets.map(({ source, schedule: own }) => ({ source, ...own }));
  return [...lateConfirmIssues(schedule, levels, catalogue().sources, clock.now())];
}

function specOf(
  { id, name = id, labels, multiplier, sinks, metrics, rules, targets, ...given }: ListedProjectInput,
  deps: Deps,
): ProjectSpec {
  return {
    id,
    name,
    labels,
    multiplier,
    ...linksIn(sinks),
    ...defined({ metrics, rules }),
    ...scheduleIn(levelOf(given)),
    targets: targets.map((target) => targetSpec(target, deps)),
  };
}

/** Returns a target as it is to be stored, with the address that it names or that its parameters make. */
function targetSpec({ source: id, url, params, sinks, ...given }: TargetInput, { catalogue }: Deps): TargetSpec {
  const source = catalogue().sources.get(id)?.source;
  if (source === undefined) throw new ControlError('not_found', notLoaded(id));
  return { source: id, url: targetUrl(source, { url, params }), ...linksIn(sinks), ...scheduleIn(levelOf(given)) };
}

function linksIn(sinks: readonly SinkLink[] = []): { readonly sinks?: readonly SinkLink[] } {
  return sinks.length > 0 ? { sinks } : {};
}

function scheduleIn(schedule: ScheduleLevel): { readonly schedule?: ScheduleLevel } {
  return Object.keys(schedule).length > 0 ? { schedule } : {};
}

function knownSources({ catalogue }: Deps): KnownSources {
  const { sources, sinks } = catalogue();
  return { byId: sources, missing: notLoaded, sinks: new Set(sinks.keys()) };
}

function notLoaded(id: string): string {
  return `no source "${id}" is loaded`;
}

function refuse(project: string | undefined, issues: Iterable<ProjectIssue>): void {
  const faults = Array.from(issues, (issue): Fault => ({ ...issue, project }));
  if (faults.length > 0) throw refusal(faults);
}

function refusal(faults: readonly Fault[]): ControlError {
  const listed = faults.slice(0, maxListed);
  const more = faults.length > listed.length ? [`and ${faults.length - listed.length} more`] : [];
  const lines = listed.map(({ project, path, message }) => {
    const name = project === undefined ? '' : `project "${project}": `;
    // The project's id says more than its place in the list.
    const within = path[0] === 'projects' ? path.slice(2) : path;
    return `${name}${pathText(within)}: ${message}`;
  });
  return new ControlError(
    faults.every(({ isMissing }) => isMissing) ? 'not_found' : 'invalid_params',
    [...lines, ...more].join('\n'),
    { issues: listed.map(({ path, message }) => ({ path: pathText(path), message })) },
  );
}
