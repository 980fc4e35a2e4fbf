import { type HostPace, hostPace, type KnownPace } from '../schedule/host-pace.ts';
import { feasibility } from '../schedule/objective.ts';
import { type Openness, opennessOf } from '../schedule/openness.ts';
import type { TargetSchedule } from './schedule.ts';
import { politenessKey, type Source } from './source.ts';

/** An objective that a host does not allow to be kept. */
export interface Infeasible extends Pick<HostPace, 'delayMs'> {
  readonly source: string;
  /** The politeness key. */
  readonly key: string;
  readonly targets: number;
  readonly objectiveMs: number;
  /** What the hours in which they may be asked leave of the time; missing for always. */
  readonly hours?: Openness;
  /** Once round all of them takes so long, with all turns of the host that their hours leave. */
  readonly neededMs: number;
  /** One scrape takes so long. */
  readonly scrapeMs: number;
  /** The nearest that can be kept; missing where others have all the host's turns. */
  readonly nearestMs?: number;
}

/** So many targets share an objective on a host, and the hours in which they may be asked. */
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

/** What is promised of targets, added up by host and objective. */
export class DemandBook {
  readonly #demands = new Map<string, Demand>();
  readonly #knownOf: (key: string) => KnownPace | undefined;

  /** @param knownOf - what the hosts have shown; by default nothing, so that their definitions alone count. */
  constructor(knownOf: (key: string) => KnownPace | undefined = () => undefined) {
    this.#knownOf = knownOf;
  }

  /** Adds a target; one of which nothing is promised demands nothing. */
  add(source: Source, url: string, schedule: TargetSchedule): void {
    const objectiveMs = objectiveOf(schedule);
    if (objectiveMs === undefined) return;
    const hours = opennessOf(schedule.hours);
    this.addAll({ source: source.id, key: politenessKey(source, url), objectiveMs, hours, targets: 1 }, source);
  }

  /** Adds so many targets of a source, or takes as many out where that is less than none. */
  addAll({ key, source, objectiveMs, hours, targets }: Shared, { politeness }: Source): void {
    const id = JSON.stringify([key, source, objectiveMs, hours]);
    const before = this.#demands.get(id)?.targets ?? 0;
    this.#demands.set(id, { key, source, objectiveMs, hours, targets: before + targets, politeness });
  }

  /** Those that cannot be kept: on each host the shortest is promised first, and what follows has the turns that are left. */
  infeasible(): Infeasible[] {
    const byKey = Map.groupBy(this.#demands.values(), ({ key }) => key);
    return [...byKey.values()].flatMap((demands) => {
      let promised = 0;
      return demands
        .filter(({ targets }) => targets > 0)
        .sort((a, b) => a.objectiveMs - b.objectiveMs || (a.source < b.source ? -1 : 1))
        .flatMap(({ politeness, hours, ...shared }): Infeasible[] => {
          const pace = paceOf({ politeness }, this.#knownOf(shared.key));
          const found = feasibility({ ...shared, hours }, pace, promised);
          const { isFeasible, neededMs, scrapeMs, nearestMs, load } = found;
          if (isFeasible) {
            promised += load;
            return [];
          }
          const limits = { ...(hours && { hours }), ...(nearestMs < Infinity && { nearestMs }) };
          return [{ ...shared, neededMs, scrapeMs, delayMs: pace.delayMs, ...limits }];
        });
    });
  }
}

/** How often a source's host can be asked, by its definition and by what it has shown. */
export function paceOf(
  { politeness: { delay, minDelay, concurrency } }: Pick<Source, 'politeness'>,
  known?: KnownPace,
): HostPace {
  return hostPace({ delayMs: delay, minDelayMs: minDelay, concurrency }, known);
}

/** The age that a target should not come to by all that is promised of it; nothing when nothing is. */
export function objectiveOf({ pace, objectives }: TargetSchedule): number | undefined {
  const own = pace?.kind === 'objective' ? [pace] : [];
  const ages = [...own, objectives, ...Object.values(objectives.fields ?? {})];
  const shortest = Math.min(...ages.map(({ warnAfter, errorAfter }) => warnAfter ?? errorAfter ?? Infinity));
  return shortest === Infinity ? undefined : shortest;
}
