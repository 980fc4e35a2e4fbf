import type { Infeasible } from '../../definition/feasible.ts';
import type { OpenHours } from '../../schedule/available.ts';
import type { HostPace } from '../../schedule/host-pace.ts';
import { type Demand, feasibility, leadOf } from '../../schedule/objective.ts';
import { opennessOf } from '../../schedule/openness.ts';

/** What is promised of a target, as a forecast sees it. */
interface Promised {
  readonly source: string;
  readonly objectiveMs?: number;
  /** The same of what is left to its scrapes. */
  readonly scrapedMs?: number;
  readonly hours: readonly OpenHours[];
}

/** Who shares an objective on a host, and what is left of its turns. */
interface Sharing {
  readonly targets: number;
  /** The part of the turns that shorter objectives take. */
  readonly promised: number;
}

/** What is promised on one host, all together: all of it is added before anything is asked. */
export class HostPromises {
  readonly #host: HostPace;
  /** By source, objective and hours. */
  readonly #demands = new Map<string, Demand>();
  #sharing: ReadonlyMap<number, Sharing> | undefined;
  /** The part of the host's turns that re-checks take at least. */
  #load = 0;

  constructor(host: HostPace) {
    this.#host = host;
  }

  add({ source, objectiveMs, scrapedMs, hours }: Promised): void {
    if (objectiveMs !== undefined) {
      const demand = { targets: 1, objectiveMs, hours: opennessOf(hours) };
      const name = nameOf(source, demand);
      const { targets } = this.#demands.get(name) ?? { targets: 0 };
      this.#demands.set(name, { ...demand, targets: targets + 1 });
    }
    if (scrapedMs !== undefined) this.#load += loadOf(scrapedMs, hours, this.#host);
  }

  /** How long after a turn its objective asks for the next one, as far as the host has the turns for all of them; nothing where none is promised. */
  afterMs({ objectiveMs = Infinity, scrapedMs, hours }: Promised): number | undefined {
    if (scrapedMs === undefined) return undefined;
    this.#sharing ??= sharingOf([...this.#demands.values()], this.#host);
    const { targets, promised } = this.#sharing.get(objectiveMs) ?? { targets: 1, promised: 0 };
    const demand = { targets, objectiveMs: scrapedMs, hours: opennessOf(hours) };
    return Math.max(scrapedMs - leadOf(demand, this.#host, promised), openMs(demand) * this.#load);
  }
}

/** By objective: how many targets share it, and what part of the host's turns shorter ones take, each beside those before it. */
function sharingOf(demands: readonly Demand[], host: HostPace): ReadonlyMap<number, Sharing> {
  const sharing = new Map<number, Sharing>();
  let promised = 0;
  for (const [objectiveMs, group] of [...Map.groupBy(demands, (each) => each.objectiveMs)].sort(([a], [b]) => a - b)) {
    sharing.set(objectiveMs, { targets: group.reduce((sum, { targets }) => sum + targets, 0), promised });
    for (const demand of group) {
      const { isFeasible, load } = feasibility(demand, host, promised);
      if (isFeasible) promised += load;
    }
  }
  return sharing;
}

/** Which objectives a host does not allow to be promised: by source, objective and hours. */
export function refusedOf(infeasible: readonly Infeasible[]): ReadonlySet<string> {
  return new Set(
    infeasible.map(({ source, objectiveMs, hours }) => nameOf(source, { targets: 1, objectiveMs, hours })),
  );
}

/** Whether what is promised of a target is among those. */
export function isRefused({ source, objectiveMs, hours }: Promised, refused: ReadonlySet<string>): boolean {
  if (objectiveMs === undefined || refused.size === 0) return false;
  return refused.has(nameOf(source, { targets: 1, objectiveMs, hours: opennessOf(hours) }));
}

function loadOf(objectiveMs: number, hours: readonly OpenHours[], host: HostPace): number {
  const demand = { targets: 1, objectiveMs, hours: opennessOf(hours) };
  return feasibility(demand, host).neededMs / openMs(demand);
}

/** Hours that are closed for longer leave it as it is: between two closed times it can be kept. */
function openMs({ objectiveMs, hours }: Demand): number {
  const closedMs = hours?.closedMs ?? 0;
  return closedMs < objectiveMs ? objectiveMs - closedMs : objectiveMs;
}

function nameOf(source: string, { objectiveMs, hours }: Demand): string {
  return JSON.stringify([source, objectiveMs, hours]);
}
