import { feasibility, type HostPace } from '../schedule/objective.ts';
import type { TargetSchedule } from './schedule.ts';
import { politenessKey, type Source } from './source.ts';

/** An objective that a host does not allow to be kept. */
export interface Infeasible extends HostPace {
  readonly source: string;
  /** The politeness key. */
  readonly key: string;
  readonly targets: number;
  readonly objectiveMs: number;
  /** Once round all of them takes so long. */
  readonly neededMs: number;
  /** The nearest that can be kept; missing where others have all the host's turns. */
  readonly nearestMs?: number;
}

interface Demand {
  readonly source: Source;
  readonly key: string;
  readonly objectiveMs: number;
  targets: number;
}

/** What is promised of targets, added up by host and objective. */
export class DemandBook {
  readonly #demands = new Map<string, Demand>();

  /** Adds a target; one of which nothing is promised demands nothing. */
  add(source: Source, url: string, schedule: TargetSchedule): void {
    const objectiveMs = objectiveOf(schedule);
    if (objectiveMs === undefined) return;
    this.addAll({ source, key: politenessKey(source, url), objectiveMs, targets: 1 });
  }

  /** Adds targets that share an objective. */
  addAll({ targets, ...shared }: Readonly<Demand>): void {
    const id = JSON.stringify([shared.key, shared.source.id, shared.objectiveMs]);
    const demand = this.#demands.get(id) ?? { ...shared, targets: 0 };
    demand.targets += targets;
    this.#demands.set(id, demand);
  }

  /** Those that cannot be kept: on each host the shortest is promised first, and what follows has the turns that are left. */
  infeasible(): Infeasible[] {
    const byKey = Map.groupBy(this.#demands.values(), ({ key }) => key);
    return [...byKey.values()].flatMap((demands) => {
      let promised = 0;
      return demands
        .sort((a, b) => a.objectiveMs - b.objectiveMs)
        .flatMap(({ source, key, targets, objectiveMs }): Infeasible[] => {
          const pace = paceOf(source);
          const { isFeasible, neededMs, nearestMs, load } = feasibility({ targets, objectiveMs }, pace, promised);
          if (isFeasible) {
            promised += load;
            return [];
          }
          const nearest = nearestMs === Infinity ? {} : { nearestMs };
          return [{ source: source.id, key, targets, objectiveMs, neededMs, ...pace, ...nearest }];
        });
    });
  }
}

/** How often a source's host may be asked, as its definition says. */
export function paceOf({ politeness: { delay, minDelay, concurrency } }: Source): HostPace {
  return { delayMs: Math.max(delay, minDelay), concurrency };
}

/** The age that a target should not come to by all that is promised of it; nothing when nothing is. */
export function objectiveOf({ pace, objectives }: TargetSchedule): number | undefined {
  const own = pace?.kind === 'objective' ? [pace] : [];
  const ages = [...own, objectives, ...Object.values(objectives.fields ?? {})];
  const shortest = Math.min(...ages.map(({ warnAfter, errorAfter }) => warnAfter ?? errorAfter ?? Infinity));
  return shortest === Infinity ? undefined : shortest;
}
