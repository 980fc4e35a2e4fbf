import { type HostPace, type KnownPace, hostPace } from '../schedule/host-pace.ts';
import { shortestObjectiveMs } from '../schedule/fresh-row.ts';
import { demandId, feasibility } from '../schedule/feasibility.ts';
import { type Openness, opennessOf } from '../schedule/time/open-hours.ts';
import { defined } from '../defined.ts';
import type { TargetSchedule } from '../schedule/levels.ts';
import type { Infeasible } from '../view/infeasible.ts';
import { type Source, politenessKey } from './source.ts';

/** How many targets share one objective and the same opening hours on a host. */
interface Shared {
  readonly key: string;
  readonly source: string;
  readonly objectiveMs: number;
  readonly hours?: Openness | undefined;
  readonly targets: number;
}

interface Demand extends Shared {
  readonly politeness: Source['politeness'];
}

/** Adds up the objectives of targets by host and age, and finds those that a host does not allow. */
export class DemandBook {
  readonly #demands = new Map<string, Demand>();
  readonly #knownOf: (key: string) => KnownPace | undefined;

  /** @param knownOf - what the hosts have shown; by default nothing, so that their definitions alone count. */
  constructor(knownOf: (key: string) => KnownPace | undefined = () => undefined) {
    this.#knownOf = knownOf;
  }

  /** Adds a target; one without an objective demands nothing, nor does one whose records have it, as their number is not known. */
  add(source: Source, url: string, schedule: TargetSchedule): void {
    const objectiveMs = shortestObjectiveMs(schedule);
    if (objectiveMs === undefined || schedule.isOfRecords === true) return;
    const hours = opennessOf(schedule.hours);
    this.addAll({ source: source.id, key: politenessKey(source, url), objectiveMs, hours, targets: 1 }, source);
  }

  /** Adds `targets` targets of a source; a negative number removes them. */
  addAll({ key, source, objectiveMs, hours, targets }: Shared, { politeness }: Source): void {
    const id = demandId({ key, source, objectiveMs, hours });
    const before = this.#demands.get(id)?.targets ?? 0;
    this.#demands.set(id, { key, source, objectiveMs, hours, targets: before + targets, politeness });
  }

  /** Objectives that cannot be kept. On each host the shortest one has its turns first, and the next ones have the turns that are left. */
  infeasible(): Infeasible[] {
    const byKey = Map.groupBy(this.#demands.values(), ({ key }) => key);
    return [...byKey.values()].flatMap((demands) => {
      let taken = 0;
      return demands
        .filter(({ targets }) => targets > 0)
        .sort((a, b) => a.objectiveMs - b.objectiveMs || (a.source < b.source ? -1 : 1))
        .flatMap(({ politeness, hours, ...shared }): Infeasible[] => {
          const pace = hostPaceOf({ politeness }, this.#knownOf(shared.key));
          const found = feasibility({ ...shared, hours }, pace, taken);
          const { isFeasible, neededMs, scrapeMs, nearestMs, load } = found;
          if (isFeasible) {
            taken += load;
            return [];
          }
          const limits = defined({ hours, nearestMs: nearestMs < Infinity ? nearestMs : undefined });
          return [{ ...shared, neededMs: Math.round(neededMs), scrapeMs, delayMs: pace.delayMs, ...limits }];
        });
    });
  }
}

/** How often a source's host can be asked, by its definition and by what it has shown. */
export function hostPaceOf(
  { politeness: { delay, minDelay, concurrency } }: Pick<Source, 'politeness'>,
  known?: KnownPace,
): HostPace {
  return hostPace({ delayMs: delay, minDelayMs: minDelay, concurrency }, known);
}
