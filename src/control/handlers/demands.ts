import { DemandBook, objectiveOf } from '../../definition/feasible.ts';
import { politenessKey } from '../../definition/source.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import type { FreshRow } from '../../store/schedule-row.ts';
import { inSlices } from '../../store/slices.ts';
import type { Share } from '../../store/tables/schedule.ts';
import type { HandlerDeps } from './deps.ts';

type Deps = Pick<HandlerDeps, 'store' | 'catalogue' | 'scheduleOf' | 'knownPace'>;

/** All that is promised, by what the store has: the same that the planner looks at. */
export async function allDemands(deps: Deps): Promise<DemandBook> {
  const demands = new DemandBook(deps.knownPace);
  for await (const shares of inSlices<Share>(deps.store().schedule.sharesAfter))
    for (const share of shares) count(demands, share, deps);
  return demands;
}

/** What is promised on the hosts on which a project promises something. */
export function demandsBeside({ targets }: ProjectRow, deps: Deps): DemandBook {
  const demands = new DemandBook(deps.knownPace);
  const hosts = new Set(targets.flatMap((target) => promisedOf(target, deps)?.key ?? []));
  for (const key of hosts) countHost(demands, key, deps);
  return demands;
}

/**
 * What will be promised, once a list is applied, on the hosts on which it promises something.
 *
 * @param replaced - projects of which nothing stays but what the list says.
 */
export function demandsWith(wanted: readonly ProjectSpec[], replaced: readonly ProjectRow[], deps: Deps): DemandBook {
  const demands = new DemandBook(deps.knownPace);
  const hosts = new Set<string>();
  const tracked = replaced.flatMap((project) => targetsOf(project, deps));
  const finished = new Set(tracked.filter(({ status }) => status === 'finished').map(placeOf));
  for (const { id, schedule: project, targets } of wanted) {
    for (const { source: name, url, schedule: target } of targets) {
      const source = deps.catalogue().sources.get(name)?.source;
      const schedule = deps.scheduleOf({ source: name, ...(target && { target }), ...(project && { project }) });
      // What the site has finished is promised no more.
      if (source === undefined || schedule === undefined || finished.has(placeOf({ project: id, source: name, url })))
        continue;
      if (objectiveOf(schedule) === undefined) continue;
      hosts.add(politenessKey(source, url));
      demands.add(source, url, schedule);
    }
  }
  for (const key of hosts) countHost(demands, key, deps);
  for (const { target } of tracked) {
    const fresh = promisedOf(target, deps);
    if (fresh !== undefined && hosts.has(fresh.key)) count(demands, { ...fresh, targets: -1 }, deps);
  }
  return demands;
}

/** What is promised of a target and counts now. */
export function promisedOf(target: number, { store }: Pick<Deps, 'store'>): FreshRow | undefined {
  const { fresh, rest } = store().schedule.get(target) ?? {};
  return rest === 'set-aside' ? undefined : fresh;
}

function countHost(demands: DemandBook, key: string, deps: Deps): void {
  for (const share of deps.store().schedule.sharesOf(key)) count(demands, share, deps);
}

/** Nobody knows how often a source's host may be asked while it is not loaded. */
function count(demands: DemandBook, share: Share, { catalogue }: Deps): void {
  const source = catalogue().sources.get(share.source)?.source;
  if (source !== undefined) demands.addAll(share, source);
}

function targetsOf({ targets }: ProjectRow, { store }: Deps): TargetRow[] {
  return targets.flatMap((number) => store().targets.get(number) ?? []);
}

function placeOf({ project, source, url }: Pick<TargetRow, 'project' | 'source' | 'url'>): string {
  return JSON.stringify([project, source, url]);
}
