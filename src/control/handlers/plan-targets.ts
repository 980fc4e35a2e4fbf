import { defined } from '../../defined.ts';
import { DemandBook, hostPaceOf } from '../../definition/demand-book.ts';
import { type Source, politenessKey } from '../../definition/source.ts';
import { type Demand, demandId, plannedPart } from '../../schedule/feasibility.ts';
import type { ForecastHost, ForecastPulse, ForecastTarget } from '../../schedule/forecast.ts';
import {
  type ForecastBegin,
  forecastObjectives,
  rowAtStart,
  type StartingObjectives,
  startingObjectives,
  usualTookMs,
  walkedStart,
} from '../../schedule/forecast-start.ts';
import type { HostPace } from '../../schedule/host-pace.ts';
import type { TargetSchedule } from '../../schedule/levels.ts';
import { priorityOf } from '../../schedule/priority.ts';
import type { OpenHours } from '../../schedule/time/open-hours.ts';
import type { ScheduleRow } from '../../schedule/row.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import type { Infeasible } from '../../view/infeasible.ts';
import { RestingTally } from './resting.ts';
import type { HostsPort, Ports, SchedulePort } from './ports.ts';

const dayMs = 86_400_000;
/** The past days whose tallies give the bytes of a pulse's request. */
const pulseDays = 30;
/** The most targets of a pulse whose tallies are read for that. */
const pulseTargets = 20;

/** The parts of the daemon that a plan is made from. */
export interface PlanPorts extends Pick<Ports, 'clock' | 'store' | 'catalogue'> {
  readonly hosts: Pick<HostsPort, 'knownPace'>;
  readonly schedule: Pick<SchedulePort, 'scheduleOf' | 'pulseOf' | 'tally'>;
}

/** A place to forecast, with its rows where it is tracked already. */
export interface PlannedPlace {
  readonly url: string;
  readonly multiplier: number;
  readonly schedule: TargetSchedule;
  readonly row?: TargetRow;
  readonly stored?: ScheduleRow;
}

/** Facts shared by all targets of one source and schedule. */
interface Kind {
  readonly source: Source;
  readonly schedule: TargetSchedule;
  readonly hours: readonly OpenHours[];
  readonly objectives: StartingObjectives;
  readonly pulse: Pulse | undefined;
}

/** A source's pulse within the same hours, and the cost of its requests so far. */
interface Pulse {
  readonly source: Source;
  readonly hours: readonly OpenHours[];
  readonly count: NonNullable<ReturnType<SchedulePort['pulseOf']>>;
  asked: number;
  requests: number;
  bytes: number;
}

/** A target without its objective, whose lead depends on all targets of its host. */
interface Entry {
  readonly kind: Kind;
  readonly target: Omit<ForecastTarget, 'row' | 'objectiveMs' | 'verifiedMs' | 'recheckMs'>;
  /** The row at the begin of the forecast; missing if it is not known. */
  readonly row: ForecastTarget['row'] | undefined;
}

interface Host {
  readonly key: string;
  readonly pace: HostPace;
  readonly entries: Entry[];
  /** The number of targets with an objective, parked ones among them, or of the pages of records with one. */
  readonly demanded: Map<Kind, number>;
  /** The re-checks of records: they come as evenly as the rounds of a pulse. */
  readonly rechecks: ForecastPulse[];
  /** The number of forecast targets with an objective that the host does not allow. */
  infeasible: number;
}

/** Collects the targets of a plan by host, and yields them as the forecast takes them. `add` is called for all places before `hosts`. */
export class PlanTargets {
  /** The objectives that hosts do not allow. Complete once `hosts` has ended. */
  readonly infeasible: Infeasible[] = [];
  /** Objectives that do not hold at the begin of the plan. */
  readonly resting = new RestingTally();
  readonly from: number;
  readonly #ports: PlanPorts;
  readonly #begin: ForecastBegin;
  readonly #hosts = new Map<string, Host>();
  readonly #kinds = new Map<TargetSchedule, Map<Source, Kind>>();
  readonly #pulses = new Map<string, Pulse>();
  /** One list for each set of equal hours, so that the forecast walks their targets together. */
  readonly #hours = new Map<string, readonly OpenHours[]>();

  /** @param from - when the forecast begins. */
  constructor(ports: PlanPorts, from: number) {
    this.#ports = ports;
    this.from = from;
    this.#begin = { from, now: ports.clock.now() };
  }

  /** Adds a place that is to be scraped. */
  add(source: Source, { url, schedule, row, stored, multiplier }: PlannedPlace): void {
    const pages = stored?.fresh?.records?.pages ?? 0;
    const host = this.addObjective(source, url, schedule, pages);
    const kind = this.#kindOf(source, schedule);
    this.#addToPulse(kind.pulse, url, row);
    const { pace: given } = schedule;
    if (given === undefined) return;
    const { requests = 1, bytes = 0 } = row?.usual ?? {};
    if (schedule.isOfRecords === true && pages > 0 && kind.objectives.shortestMs !== undefined) {
      const everyMs = kind.objectives.shortestMs * plannedPart;
      host.rechecks.push({ requests: pages, everyMs, hours: kind.hours, bytes: bytes / requests });
    }
    const { initialDelayMs = 0 } = schedule;
    const slot = host.entries.length;
    const verifiedAt = this.#begin.from <= this.#begin.now ? stored?.fresh?.verifiedAt : undefined;
    const tookMs = usualTookMs(given, requests, host.pace);
    const priority = priorityOf(row?.found ?? [], multiplier);
    host.entries.push({
      kind,
      target: {
        given,
        priority,
        requests,
        bytes,
        hours: kind.hours,
        endsWhenGone: source.gone === 'finished',
        ...defined({ verifiedAt, tookMs, gone: row?.gone }),
      },
      row: rowAtStart(
        this.#begin,
        { given, key: host.key, slot },
        { initialDelayMs, isTracked: row !== undefined, stored },
      ),
    });
  }

  /**
   * Adds the objective of a place that is not scraped, such as a parked target: it counts among the demands of its host.
   *
   * @param pages - the pages of its records, where the objective holds for each record.
   */
  addObjective(source: Source, url: string, schedule: TargetSchedule, pages = 0): Host {
    const host = this.#hostOf(politenessKey(source, url), source);
    const kind = this.#kindOf(source, schedule);
    const requests = schedule.isOfRecords === true ? pages : 1;
    if (kind.objectives.shortestMs !== undefined && requests > 0)
      host.demanded.set(kind, (host.demanded.get(kind) ?? 0) + requests);
    return host;
  }

  /** The number of targets with an objective that their host does not allow. Complete once `hosts` has ended. */
  get infeasibleTargets(): number {
    return [...this.#hosts.values()].reduce((sum, { infeasible }) => sum + infeasible, 0);
  }

  /** Returns the time between two requests to a host, in ms, and the number of its targets with an objective that it does not allow. */
  limitsOf(key: string): Pick<HostPace, 'delayMs'> & Pick<Host, 'infeasible'> {
    const { pace: { delayMs } = { delayMs: 0 }, infeasible = 0 } = this.#hosts.get(key) ?? {};
    return { delayMs, infeasible };
  }

  /** Yields the hosts with their targets and pulses. Called once, after all places are added. */
  *hosts(): Generator<ForecastHost> {
    const pulses = new Map<string, ForecastPulse[]>();
    for (const { source, hours, count, requests: asked, bytes } of this.#pulses.values())
      for (const [key, requests] of count.requests()) {
        const pulse = { requests, everyMs: count.everyMs, hours, bytes: bytes / Math.max(1, asked) };
        pulses.set(this.#hostOf(key, source).key, [...(pulses.get(key) ?? []), pulse]);
      }
    for (const host of this.#hosts.values()) {
      const { key, pace, entries } = host;
      const refused = this.#refusedOn(host);
      const own = [...(pulses.get(key) ?? []), ...host.rechecks];
      if (entries.length > 0 || own.length > 0)
        yield { key, ...pace, targets: this.#targetsOf(host, refused), pulses: own };
    }
  }

  /** Returns the objectives that a host does not allow, by the id of their demand, and adds them to `infeasible`. */
  #refusedOn({ key, demanded }: Host): ReadonlyMap<string, Infeasible> {
    const demands = new DemandBook(this.#ports.hosts.knownPace);
    for (const [{ source, objectives }, targets] of demanded) {
      const { shortestMs: objectiveMs = Infinity, hours } = objectives;
      demands.addAll({ key, source: source.id, objectiveMs, hours, targets }, source);
    }
    const infeasible = demands.infeasible();
    this.infeasible.push(...infeasible);
    return new Map(infeasible.map((each) => [demandId(each), each]));
  }

  *#targetsOf(host: Host, refused: ReadonlyMap<string, Infeasible>): Generator<ForecastTarget> {
    const onHost = { host: host.pace, demands: demandsOf(host) };
    const objectivesOf = (kind: Kind) => {
      const infeasible = refusedOf(kind, host, refused);
      return {
        isInfeasible: infeasible !== undefined,
        shared: kind.schedule.isOfRecords === true ? {} : forecastObjectives(kind.objectives, onHost, infeasible),
      };
    };
    const known = new Map<Kind, ReturnType<typeof objectivesOf>>();
    for (const [slot, { kind, target, row }] of host.entries.entries()) {
      const each = known.get(kind) ?? objectivesOf(kind);
      known.set(kind, each);
      if (each.isInfeasible) host.infeasible += 1;
      const starting = { given: target.given, key: host.key, slot };
      const start = row === undefined ? walkedStart(this.#begin, starting, each.shared.recheckMs) : { row };
      yield { ...target, ...each.shared, ...start };
    }
  }

  #kindOf(source: Source, schedule: TargetSchedule): Kind {
    const bySource = this.#kinds.get(schedule) ?? new Map<Source, Kind>();
    const known = bySource.get(source);
    if (known !== undefined) return known;
    const hours = this.#interned(schedule.hours);
    const pulse = this.#pulseOf(source, hours);
    const pulsed = pulse && { fields: new Set(Object.keys(source.pulse?.fields ?? {})), everyMs: pulse.count.everyMs };
    const kind = { source, schedule, hours, pulse, objectives: startingObjectives(schedule, pulsed) };
    this.#kinds.set(schedule, bySource.set(source, kind));
    return kind;
  }

  #pulseOf(source: Source, hours: readonly OpenHours[]): Pulse | undefined {
    const key = JSON.stringify([source.id, hours]);
    const known = this.#pulses.get(key);
    if (known !== undefined) return known;
    const count = this.#ports.schedule.pulseOf(source);
    if (count === undefined) return undefined;
    const pulse = { source, hours, count, asked: 0, requests: 0, bytes: 0 };
    this.#pulses.set(key, pulse);
    this.#learnCost(pulse, source.id);
    return pulse;
  }

  #addToPulse(pulse: Pulse | undefined, url: string, row: TargetRow | undefined): void {
    // Alone, a page that is gone is asked for by pulses as seldom as by scrapes.
    if (row?.gone !== undefined && pulse?.count.isOfMany === false) return;
    pulse?.count.add(url);
    if (pulse === undefined || row === undefined || pulse.asked >= pulseTargets) return;
    pulse.asked += 1;
    this.#learnCost(pulse, row.target);
  }

  #learnCost(pulse: Pulse, of: number | string): void {
    const { pulses } = this.#ports.schedule.tally(of, this.#begin.now - pulseDays * dayMs);
    pulse.requests += pulses?.requests ?? 0;
    pulse.bytes += pulses?.bytes ?? 0;
  }

  #hostOf(key: string, source: Source): Host {
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    const pace = hostPaceOf(source, this.#ports.hosts.knownPace(key));
    const host = { key, pace, entries: [], demanded: new Map(), rechecks: [], infeasible: 0 };
    this.#hosts.set(key, host);
    return host;
  }

  #interned(hours: readonly OpenHours[]): readonly OpenHours[] {
    const text = hours.length === 0 ? '' : JSON.stringify(hours);
    const known = this.#hours.get(text) ?? hours;
    this.#hours.set(text, known);
    return known;
  }
}

/** Returns the demands of a host, the shortest objective first. */
function demandsOf({ demanded }: Host): Demand[] {
  return [...demanded]
    .map(([{ objectives }, targets]) => ({
      targets,
      objectiveMs: objectives.shortestMs ?? Infinity,
      hours: objectives.hours,
    }))
    .sort((a, b) => a.objectiveMs - b.objectiveMs);
}

/** Returns the finding that a host does not allow the objective of a kind; `undefined` where it does, or where there is no objective. */
function refusedOf(
  { source, objectives: { shortestMs: objectiveMs, hours } }: Kind,
  { key }: Host,
  refused: ReadonlyMap<string, Infeasible>,
): Infeasible | undefined {
  return objectiveMs === undefined ? undefined : refused.get(demandId({ key, source: source.id, objectiveMs, hours }));
}
