import { setImmediate } from 'node:timers/promises';
import { DemandBook, objectiveOf, paceOf } from '../../definition/feasible.ts';
import type { TargetSchedule } from '../../definition/schedule.ts';
import { politenessKey, type Source } from '../../definition/source.ts';
import type { OpenHours } from '../../schedule/available.ts';
import { nextCron } from '../../schedule/cron.ts';
import { type ForecastHost, type ForecastTarget } from '../../schedule/forecast.ts';
import { slotFraction } from '../../schedule/grid.ts';
import { type Demand, feasibility, type HostPace, leadOf } from '../../schedule/objective.ts';
import { priorityOf } from '../../schedule/priority.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { HandlerDeps } from './deps.ts';

type ForecastPace = ForecastTarget['pace'];

const dayMs = 86_400_000;
/** So many days of scrapes tell what the next ones will take. */
const tallyDays = 30;
/** Targets that are looked at without a turn of the event loop. */
const atOnce = 100;

/** A place to forecast, with its row where it is tracked already. */
export interface Forecasted {
  readonly source: string;
  readonly url: string;
  readonly multiplier: number;
  readonly schedule: TargetSchedule;
  readonly row?: TargetRow;
}

/** What is known of a target before its host is looked at as a whole. */
interface Entry extends Forecasted {
  readonly objectiveMs?: number;
  readonly requests: number;
  readonly bytes: number;
  readonly hours: readonly OpenHours[];
}

interface Host extends HostPace {
  readonly key: string;
  readonly entries: Entry[];
}

/** What a forecast is made from: places are added, then their hosts are gone through. */
export class ForecastInputs {
  readonly demands = new DemandBook();
  readonly #deps: HandlerDeps;
  readonly #from: number;
  /** The present pause of hosts of which something is known. */
  readonly #delays: ReadonlyMap<string, number>;
  readonly #hosts = new Map<string, Host>();
  /** Equal hours are one list, so that they are followed once. */
  readonly #hours = new Map<string, readonly OpenHours[]>();
  #added = 0;

  constructor(deps: HandlerDeps, from: number, delays: ReadonlyMap<string, number>) {
    this.#deps = deps;
    this.#from = from;
    this.#delays = delays;
  }

  /** Adds a place, and lets others have their turn now and then. */
  async add(source: Source, place: Forecasted): Promise<void> {
    this.#added += 1;
    if (this.#added % atOnce === 0) await setImmediate();
    const { schedule, row, url } = place;
    this.demands.add(source, url, schedule);
    const objectiveMs = objectiveOf(schedule);
    const tally = row && this.#deps.tally(row.target, this.#deps.clock.now() - tallyDays * dayMs);
    const isKnown = tally !== undefined && tally.scrapes > 0;
    this.#hostOf(source, url).entries.push({
      ...place,
      ...(objectiveMs !== undefined && { objectiveMs }),
      requests: isKnown ? Math.max(1, tally.requests / tally.scrapes) : 1,
      bytes: isKnown ? tally.bytes / tally.scrapes : 0,
      hours: this.#interned(schedule.hours),
    });
  }

  get targets(): number {
    return this.#added;
  }

  hostPace(key: string): HostPace {
    const { delayMs = 0, concurrency = 1 } = this.#hosts.get(key) ?? {};
    return { delayMs, concurrency };
  }

  *hosts(): Generator<ForecastHost> {
    for (const { key, delayMs, concurrency, entries } of this.#hosts.values())
      yield { key, delayMs, concurrency, targets: this.#targetsOf(entries, { delayMs, concurrency }) };
  }

  *#targetsOf(entries: readonly Entry[], host: HostPace): Generator<ForecastTarget> {
    const sharing = Map.groupBy(entries, ({ objectiveMs }) => objectiveMs);
    for (const [slot, entry] of entries.entries()) {
      const { objectiveMs, requests, bytes, hours } = entry;
      const targets = sharing.get(objectiveMs)?.length ?? 1;
      const leadMs = objectiveMs === undefined ? 0 : possibleLead({ targets, objectiveMs }, host);
      yield {
        pace: withObjective(this.#paceOf(entry, slot, host), objectiveMs, leadMs, this.#from),
        ...(objectiveMs !== undefined && { objectiveMs }),
        requests,
        bytes,
        hours,
      };
    }
  }

  #paceOf({ schedule: { pace }, row, requests, multiplier }: Entry, slot: number, host: HostPace): ForecastPace {
    const stored = row && this.#deps.store().schedule.get(row.target);
    const tookMs = requests * host.delayMs;
    switch (pace?.kind) {
      case 'interval': {
        const { everyMs } = pace;
        const isIn = stored?.pace.kind === 'interval' && stored.pace.grid.everyMs === everyMs;
        const nextAt = isIn ? (stored.dueAt ?? this.#from) : this.#from + slotFraction(slot) * everyMs;
        return { kind: 'interval', everyMs, nextAt: notBefore(nextAt, everyMs, this.#from, this.#deps.clock.now()) };
      }
      case 'cron':
        return pace;
      case 'tokens': {
        const { start, cap, perDay } = pace;
        // The first day brings a token as any other, and the first scrape of a new target is paid for before.
        const unspent = Math.max(0, start - 1);
        const bucket = stored?.pace.kind === 'tokens' ? stored.pace.bucket : { tokens: unspent, day: 0 };
        const priority = priorityOf(row?.found ?? [], multiplier);
        return { kind: 'tokens', bucket, priority, limits: { start, cap, perDay } };
      }
      case 'continuous':
        return { kind: 'continuous', sleepMs: pace.sleepMs, tookMs: Math.max(1_000, tookMs) };
      case 'objective':
      case undefined:
        return { kind: 'objective', objectiveMs: Infinity, leadMs: 0 };
      default:
        return pace satisfies never;
    }
  }

  #hostOf(source: Source, url: string): Host {
    const key = politenessKey(source, url);
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    const { delayMs, concurrency } = paceOf(source);
    const host = { key, delayMs: this.#delays.get(key) ?? delayMs, concurrency, entries: [] };
    this.#hosts.set(key, host);
    return host;
  }

  #interned(hours: readonly OpenHours[]): readonly OpenHours[] {
    const text = JSON.stringify(hours);
    const known = this.#hours.get(text) ?? hours;
    this.#hours.set(text, known);
    return known;
  }
}

/** How long before its deadline a target is asked again, though never sooner than its host has been once round all of them. */
function possibleLead(demand: Demand, host: HostPace): number {
  const { neededMs } = feasibility(demand, host);
  return Math.min(leadOf(demand, host), demand.objectiveMs - neededMs);
}

/** An objective that needs more turns than the pace gives draws them forward, so that it is what sets the pace. */
function withObjective(
  pace: ForecastPace,
  objectiveMs: number | undefined,
  leadMs: number,
  from: number,
): ForecastPace {
  if (objectiveMs === undefined || usualGapMs(pace, from) <= objectiveMs - leadMs) return pace;
  return { kind: 'objective', objectiveMs, leadMs };
}

function usualGapMs(pace: ForecastPace, from: number): number {
  switch (pace.kind) {
    case 'interval':
      return pace.everyMs;
    case 'cron': {
      const next = nextCron(pace, from);
      return next === undefined ? Infinity : (nextCron(pace, next) ?? Infinity) - next;
    }
    case 'tokens':
      return dayMs / pace.priority;
    case 'continuous':
      return pace.sleepMs + pace.tookMs;
    case 'objective':
      return pace.objectiveMs;
    default:
      return pace satisfies never;
  }
}

/** A forecast that begins some day meets the turns of its days, and not all those until then at once. */
function notBefore(nextAt: number, everyMs: number, from: number, now: number): number {
  if (from <= now || nextAt >= from) return nextAt;
  return nextAt + Math.ceil((from - nextAt) / everyMs) * everyMs;
}
