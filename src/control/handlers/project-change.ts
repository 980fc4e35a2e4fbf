import { levelOf, paceFileKeys, paceKeys, type ScheduleLevel } from '../../schedule/levels.ts';
import { type ProjectSpec, specOf } from '../../store/projects.ts';
import type { TargetSpec } from '../../store/watch-places.ts';
import { placeKey } from '../../store/tables/targets.ts';
import type { ProjectRow } from '../../store/tables/rows.ts';
import { defined } from '../../defined.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Params } from '../methods.ts';
import type { TargetInput } from '../methods/target.ts';
import { trackedTargets } from './find.ts';
import type { Ports } from './ports.ts';
import { refuseFigures, refuseLate, refuseUndeclared, targetSpecs } from './project-spec.ts';

type Deps = Pick<Ports, 'clock' | 'store' | 'catalogue'>;

/** A change of a project, whose new targets have their sources. */
type Change = Omit<Params<'project.update'>, 'addTargets' | 'dryRun'> & { readonly addTargets: readonly TargetInput[] };

/** The most labels of a project, as its schema has it. */
const maxLabels = 32;

/** Returns a project as it is after a change. Throws a `ControlError` that lists what is wrong with it. */
export function changedSpec(row: ProjectRow, change: Change, deps: Deps): ProjectSpec {
  const before = specOf(deps.store(), row);
  const { id, name = before.name, multiplier = before.multiplier, addTargets, removeTargets, targetSchedule } = change;
  const { labels, addLabels, removeLabels, sinks = before.sinks, targets: listed, ...more } = change;
  const { metrics = before.metrics, rules = before.rules, ...level } = more;
  const schedule = scheduleChange(before.schedule, levelOf(level));
  const objectives = schedule?.objectives;
  const kept =
    listed === undefined ? remaining(row, removeTargets ?? [], deps) : targetSpecs(id, listed, objectives, deps);
  const known = new Set(kept.map(placeKey));
  const added = targetSpecs(id, addTargets, undefined, deps, change.sinks).filter((each) => !known.has(placeKey(each)));
  const targets = scheduled(row, [...kept, ...added], targetSchedule, deps);
  if (targets.length === 0 && removeTargets !== undefined)
    throw invalidParam('removeTargets', `expected to leave project "${id}" a target`);
  refuseUndeclared(id, targets, objectives, deps);
  const spec = {
    id,
    name,
    multiplier,
    labels: labelsAfter(labels ?? before.labels, addLabels, removeLabels),
    ...defined({ sinks, metrics, rules, schedule }),
    targets,
  };
  refuseFigures(spec, deps);
  refuseLate(before, spec, deps);
  return spec;
}

/** Returns the labels of a project after a change. Throws a `ControlError` where they are too many. */
export function labelsAfter(
  labels: readonly string[],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): readonly string[] {
  const all = [...new Set([...labels, ...added])].filter((label) => !removed.includes(label));
  if (all.length <= maxLabels) return all;
  throw invalidParam('addLabels', `expected ${maxLabels} labels at most, got ${all.length}`);
}

/** Returns the places of a project without some targets. Throws a `ControlError` for a target that is not among its places. */
function remaining(row: ProjectRow, removed: readonly number[], { store }: Deps): readonly TargetSpec[] {
  const tracked = trackedTargets(row, store());
  for (const number of removed)
    if (!tracked.some(({ target }) => target === number))
      throw new ControlError('not_found', `project "${row.id}" has no target ${number}`);
  const gone = new Set(tracked.filter(({ target }) => removed.includes(target)).map(placeKey));
  return specOf(store(), row).targets.filter((place) => !gone.has(placeKey(place)));
}

/** Sets the schedule of all places, or of one target alone. */
function scheduled(
  row: ProjectRow,
  places: readonly TargetSpec[],
  { target, ...given }: NonNullable<Change['targetSchedule']> = {},
  deps: Deps,
): readonly TargetSpec[] {
  const level = levelOf(given);
  const one =
    target === undefined ? undefined : trackedTargets(row, deps.store()).find((each) => each.target === target);
  if (target !== undefined && one === undefined)
    throw new ControlError('not_found', `project "${row.id}" has no target ${target}`);
  const only = one && placeKey(one);
  return places.map((place) => {
    if (only !== undefined && placeKey(place) !== only) return place;
    refuseUndeclared(row.id, [place], level.objectives, deps);
    const schedule = scheduleChange(place.schedule, level);
    return { ...place, ...defined({ schedule }) };
  });
}

/** Merges a change into a schedule, in which a new pace replaces the one before. */
function scheduleChange(before: ScheduleLevel | undefined, change: ScheduleLevel): ScheduleLevel | undefined {
  if (Object.keys(change).length === 0) return before;
  if (!paceKeys.some((key) => key in change)) return { ...before, ...change };
  const kept = Object.entries(before ?? {}).filter(([key]) => !paceFileKeys.includes(key));
  return { ...Object.fromEntries(kept), ...change };
}
