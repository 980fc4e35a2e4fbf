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

/** What is promised on one host, all together: all of it is added before anything is asked. */
export class HostPromises {
  readonly #host: HostPace;
  readonly #sharing = new Map<number, number>();
  /** The part of the host's turns that re-checks take at least. */
  #load = 0;

  constructor(host: HostPace) {
    this.#host = host;
  }

  add({ objectiveMs, scrapedMs, hours }: Promised): void {
    if (objectiveMs !== undefined) this.#sharing.set(objectiveMs, (this.#sharing.get(objectiveMs) ?? 0) + 1);
    if (scrapedMs !== undefined) this.#load += loadOf(scrapedMs, hours, this.#host);
  }

  /** How long after a turn its objective asks for the next one, as far as the host has the turns for all of them; nothing where none is promised. */
  afterMs({ objectiveMs = Infinity, scrapedMs, hours }: Promised): number | undefined {
    if (scrapedMs === undefined) return undefined;
    const demand = { targets: this.#sharing.get(objectiveMs) ?? 1, objectiveMs: scrapedMs, hours: opennessOf(hours) };
    return Math.max(scrapedMs - leadOf(demand, this.#host), openMs(demand) * this.#load);
  }
}

/** By how much what a host does not allow is too short, by source, objective and hours. */
export function shortOf(infeasible: readonly Infeasible[]): ReadonlyMap<string, number> {
  return new Map(
    infeasible.map(({ source, objectiveMs, hours, neededMs, nearestMs = objectiveMs + neededMs }) => [
      nameOf(source, { targets: 1, objectiveMs, hours }),
      nearestMs - objectiveMs,
    ]),
  );
}

/** By how much an objective is shorter than the nearest that its host allows; nothing where it can be kept. */
export function shortBy(
  { source, objectiveMs, hours }: Promised,
  short: ReadonlyMap<string, number>,
): number | undefined {
  if (objectiveMs === undefined || short.size === 0) return undefined;
  return short.get(nameOf(source, { targets: 1, objectiveMs, hours: opennessOf(hours) }));
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
