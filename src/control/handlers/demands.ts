import { DemandBook } from '../../definition/demand-book.ts';
import { politenessKey } from '../../definition/source.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import { shortestObjectiveMs } from '../../schedule/fresh-row.ts';
import { inSlices, slicesOf } from '../../store/slices.ts';
import type { Share } from '../../store/tables/schedule.ts';
import type { Place } from '../../store/tables/targets.ts';
import { rowsOf } from './find.ts';
import { PlacesAfter } from './places-after.ts';
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
  const ids = new Set(replaced.map(({ id }) => id));
  const after = new PlacesAfter((id) => ids.has(id));
  for await (const slice of slicesOf(wanted, readAtOnce)) slice.forEach((spec) => after.add(spec));
  /** The targets that the list concerns, each once. */
  const tracked = new Map<number, TargetRow>();
  for await (const slice of slicesOf(replaced, readAtOnce))
    for (const project of slice) for (const row of rowsOf(project.targets, deps.store())) tracked.set(row.target, row);
  for await (const slice of slicesOf([...after.listed()], readAtOnce))
    for (const place of slice) {
      const row = deps.store().targets.at(place);
      if (row !== undefined) tracked.set(row.target, row);
      else addWatched(place, row);
    }
  for await (const slice of slicesOf([...tracked.values()], readAtOnce)) for (const row of slice) addWatched(row, row);
  for (const key of hosts) countHost(demands, key, deps);
  for await (const slice of slicesOf([...tracked.keys()], readAtOnce))
    for (const target of slice) {
      const fresh = freshnessOf(target, deps);
      // Those of records stay: how many there will be is not known.
      if (fresh !== undefined && fresh.records === undefined && hosts.has(fresh.key))
        count(demands, { ...fresh, targets: -1 }, deps);
    }
  return demands;

  function addWatched({ source: name, url }: Place, row: TargetRow | undefined): void {
    const source = deps.catalogue().sources.get(name)?.source;
    const watchers = after.watchersOf({ source: name, url }, row);
    const schedule = deps.schedule.scheduleOf(name, watchers);
    if (source === undefined || schedule === undefined || watchers.length === 0) return;
    if (shortestObjectiveMs(schedule) === undefined) return;
    hosts.add(politenessKey(source, url));
    demands.add(source, url, schedule);
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
