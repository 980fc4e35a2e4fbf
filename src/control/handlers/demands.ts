import { DemandBook } from '../../definition/demand-book.ts';
import { politenessKey } from '../../definition/source.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import { shortestObjectiveMs } from '../../schedule/fresh-row.ts';
import { inSlices, slicesOf } from '../../store/slices.ts';
import type { Share } from '../../store/tables/schedule.ts';
import { defined } from '../../defined.ts';
import type { Ports } from './ports.ts';
import { freshnessOf } from './tracked-objectives.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'schedule' | 'hosts'>;

/** Projects or targets that are looked at in one go: a millisecond or two of the event loop. */
const readAtOnce = 100;

/** Adds up the objectives of all tracked targets, by the same shares that the planner looks at. */
export async function allDemands(deps: Deps): Promise<DemandBook> {
  const demands = new DemandBook(deps.hosts.knownPace);
  for await (const shares of inSlices<Share>(deps.store().schedule.sharesAfter))
    for (const share of shares) count(demands, share, deps);
  return demands;
}

/** Collects the demands of every host on which the project has an objective. */
export function demandsBeside({ targets }: ProjectRow, deps: Deps): DemandBook {
  const demands = new DemandBook(deps.hosts.knownPace);
  const hosts = new Set(targets.flatMap((target) => freshnessOf(target, deps)?.key ?? []));
  for (const key of hosts) countHost(demands, key, deps);
  return demands;
}

/**
 * Collects the demands after a list is applied, for every host on which the list has an objective.
 *
 * @param replaced - projects that the list replaces: their present targets do not count.
 */
export async function demandsWith(
  wanted: readonly ProjectSpec[],
  replaced: readonly ProjectRow[],
  deps: Deps,
): Promise<DemandBook> {
  const demands = new DemandBook(deps.hosts.knownPace);
  const hosts = new Set<string>();
  const tracked: TargetRow[] = [];
  for await (const slice of slicesOf(replaced, readAtOnce))
    for (const project of slice) tracked.push(...targetsOf(project, deps));
  const finished = new Set(tracked.filter(({ status }) => status === 'finished').map(projectPlaceKey));
  for await (const slice of slicesOf(wanted, readAtOnce)) for (const project of slice) countWanted(project);
  for (const key of hosts) countHost(demands, key, deps);
  for await (const slice of slicesOf(tracked, readAtOnce))
    for (const { target } of slice) {
      const fresh = freshnessOf(target, deps);
      // Those of records stay: how many there will be is not known.
      if (fresh !== undefined && fresh.records === undefined && hosts.has(fresh.key))
        count(demands, { ...fresh, targets: -1 }, deps);
    }
  return demands;

  function countWanted({ id, schedule: project, targets }: ProjectSpec): void {
    for (const { source: name, url, schedule: target } of targets) {
      const source = deps.catalogue().sources.get(name)?.source;
      const schedule = deps.schedule.scheduleOf({ source: name, ...defined({ target, project }) });
      // The objective of a target that the site has finished does not count.
      if (
        source === undefined ||
        schedule === undefined ||
        finished.has(projectPlaceKey({ project: id, source: name, url }))
      )
        continue;
      if (shortestObjectiveMs(schedule) === undefined) continue;
      hosts.add(politenessKey(source, url));
      demands.add(source, url, schedule);
    }
  }
}

function countHost(demands: DemandBook, key: string, deps: Deps): void {
  for (const share of deps.store().schedule.sharesOf(key)) count(demands, share, deps);
}

/** Adds a share, unless its source is not loaded: how often its host may be asked is not known then. */
function count(demands: DemandBook, share: Share, { catalogue }: Deps): void {
  const source = catalogue().sources.get(share.source)?.source;
  if (source !== undefined) demands.addAll(share, source);
}

function targetsOf({ targets }: ProjectRow, { store }: Deps): TargetRow[] {
  return targets.flatMap((number) => store().targets.get(number) ?? []);
}

function projectPlaceKey({ project, source, url }: Pick<TargetRow, 'project' | 'source' | 'url'>): string {
  return JSON.stringify([project, source, url]);
}
