import { setImmediate } from 'node:timers/promises';
import { DemandBook, type Infeasible, objectiveOf, paceOf } from '../../definition/feasible.ts';
import type { TargetSchedule } from '../../definition/schedule.ts';
import { politenessKey, type Source } from '../../definition/source.ts';
import type { OpenHours } from '../../schedule/available.ts';
import type { ForecastHost, ForecastPulse, ForecastTarget } from '../../schedule/forecast.ts';
import type { ForecastRecheck } from '../../schedule/forecast-recheck.ts';
import { type Grid, nextGridTurn, slotFraction } from '../../schedule/grid.ts';
import type { HostPace } from '../../schedule/host-pace.ts';
import { priorityOf } from '../../schedule/priority.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { ScheduleRow } from '../../store/schedule-row.ts';
import type { HandlerDeps } from './deps.ts';
import { HostPromises, isRefused, refusedOf } from './forecasting-promises.ts';
import { ForecastPulses } from './forecasting-pulses.ts';
import { usualScrape, type UsualScrape, usualTookMs } from './forecasting-scrape.ts';

type ForecastPace = ForecastTarget['pace'];

const dayMs = 86_400_000;
/** So many days of scrapes tell what the next ones will take. */
const tallyDays = 30;
/** Targets that are looked at without a turn of the event loop. */
const atOnce = 50;

/** A place to forecast, with its row where it is tracked already. */
export interface Forecasted {
  readonly source: string;
  readonly url: string;
  readonly multiplier: number;
  readonly schedule: TargetSchedule;
  readonly row?: TargetRow;
}

/** What is known of a target before its host is looked at as a whole. */
interface Entry extends Forecasted, UsualScrape {
  readonly objectiveMs?: number;
  /** The same of what is left to its scrapes. */
  readonly scrapedMs?: number;
  /** How often its source's pulse asks. */
  readonly pulsedMs?: number;
  readonly hours: readonly OpenHours[];
}

interface Host {
  readonly key: string;
  readonly pace: HostPace;
  readonly entries: Entry[];
  readonly promises: HostPromises;
  /** Targets with an objective that it does not allow to be promised, of those that were forecast. */
  infeasible: number;
}

/** What a forecast is made from: places are added, then their hosts are gone through. */
export class ForecastInputs {
  readonly demands: DemandBook;
  readonly #deps: HandlerDeps;
  readonly #from: number;
  readonly #tallyFrom: number;
  readonly #hosts = new Map<string, Host>();
  readonly #pulses: ForecastPulses;
  /** Equal hours are one list, so that they are followed once. */
  readonly #hours = new Map<string, readonly OpenHours[]>();
  #added = 0;

  constructor(deps: HandlerDeps, from: number) {
    this.#deps = deps;
    this.#from = from;
    this.#tallyFrom = deps.clock.now() - tallyDays * dayMs;
    this.#pulses = new ForecastPulses(deps, this.#tallyFrom);
    this.demands = new DemandBook(deps.knownPace);
  }

  /** Adds a place, and lets others have their turn now and then. */
  async add(source: Source, place: Forecasted): Promise<void> {
    this.#added += 1;
    if (this.#added % atOnce === 0) await setImmediate();
    const { schedule, row, url } = place;
    this.demands.add(source, url, schedule);
    const hours = this.#interned(schedule.hours);
    const tally = row && this.#deps.tally(row.target, this.#tallyFrom);
    const pulsedMs = this.#pulses.add(source, url, hours, tally?.pulses);
    const objectiveMs = objectiveOf(schedule);
    const scrapedMs = objectiveOf(unpulsed(schedule, source, pulsedMs));
    const entry = {
      ...place,
      ...(objectiveMs !== undefined && { objectiveMs }),
      ...(scrapedMs !== undefined && { scrapedMs }),
      ...(pulsedMs !== undefined && { pulsedMs }),
      ...usualScrape(tally),
      hours,
    };
    const host = this.#hostOf(politenessKey(source, url), source);
    host.entries.push(entry);
    host.promises.add(entry);
  }

  get targets(): number {
    return this.#added;
  }

  /** Targets with an objective that their hosts do not allow to be promised; known once all hosts were gone through. */
  get infeasible(): number {
    return [...this.#hosts.values()].reduce((sum, { infeasible }) => sum + infeasible, 0);
  }

  /** The same of one host, and how often it can be asked. */
  limitsOf(key: string): Pick<HostPace, 'delayMs'> & Pick<Host, 'infeasible'> {
    const { pace: { delayMs } = { delayMs: 0 }, infeasible = 0 } = this.#hosts.get(key) ?? {};
    return { delayMs, infeasible };
  }

  /**
   * Called once, when all is added.
   *
   * @param infeasible - what hosts do not allow, by politeness key.
   */
  *hosts(infeasible: ReadonlyMap<string, readonly Infeasible[]>): Generator<ForecastHost> {
    const pulses = new Map<string, ForecastPulse[]>();
    for (const { key, source, pulse } of this.#pulses.hosts()) {
      this.#hostOf(key, source);
      const known = pulses.get(key);
      if (known === undefined) pulses.set(key, [pulse]);
      else known.push(pulse);
    }
    for (const host of this.#hosts.values())
      yield {
        key: host.key,
        ...host.pace,
        targets: this.#targetsOf(host, refusedOf(infeasible.get(host.key) ?? [])),
        pulses: pulses.get(host.key) ?? [],
      };
  }

  *#targetsOf(host: Host, refused: ReadonlySet<string>): Generator<ForecastTarget> {
    const { entries, pace, promises } = host;
    for (const [slot, entry] of entries.entries()) {
      const { objectiveMs, scrapedMs, pulsedMs, requests, bytes, hours } = entry;
      const afterMs = promises.afterMs(entry);
      const stored = entry.row && this.#deps.store().schedule.get(entry.row.target);
      const firstAt = this.#firstOf(entry, stored);
      const recheck = afterMs === undefined ? undefined : this.#recheckOf(stored, afterMs);
      const isInfeasible = isRefused(entry, refused);
      if (isInfeasible) host.infeasible += 1;
      // What lacks turns, or only slack, is not told as kept or broken by its turns: nobody knows by how much it will be late, if at all.
      const promised = isInfeasible ? undefined : (scrapedMs ?? objectiveMs);
      yield {
        pace: this.#paceOf(entry, stored, { slot, host: pace, firstAt }),
        ...(firstAt !== undefined && { firstAt }),
        ...(promised !== undefined && { objectiveMs: promised }),
        ...(scrapedMs === undefined && pulsedMs !== undefined && { verifiedMs: pulsedMs }),
        ...(recheck && { recheck }),
        requests,
        bytes,
        hours,
      };
    }
  }

  #recheckOf(stored: ScheduleRow | undefined, afterMs: number): ForecastRecheck {
    const fresh = stored?.fresh;
    const isNow = this.#from <= this.#deps.clock.now();
    return { afterMs, ...(fresh !== undefined && isNow && { nextAt: fresh.verifiedAt + afterMs }) };
  }

  /** When a target that was never scraped is scraped first; nothing where that is over by then. */
  #firstOf({ row, schedule: { initialDelayMs = 0 } }: Entry, stored: ScheduleRow | undefined): number | undefined {
    const [from, now] = [this.#from, this.#deps.clock.now()];
    const delayed = Math.min(from, now) + initialDelayMs;
    const firstAt = row === undefined ? delayed : stored?.firstAt && Math.min(stored.firstAt, delayed);
    return firstAt === undefined || (firstAt < from && from > now) ? undefined : firstAt;
  }

  #paceOf(
    { schedule: { pace }, row, requests, multiplier }: Entry,
    stored: ScheduleRow | undefined,
    { slot, host, firstAt }: { readonly slot: number; readonly host: HostPace; readonly firstAt: number | undefined },
  ): ForecastPace {
    switch (pace?.kind) {
      case 'interval': {
        const { everyMs } = pace;
        const isIn =
          stored?.pace.kind === 'interval' && stored.rest === undefined && stored.pace.grid.everyMs === everyMs;
        const nextAt = isIn ? nextOf(stored, stored.pace.grid) : (firstAt ?? this.#from) + slotFraction(slot) * everyMs;
        return { kind: 'interval', everyMs, nextAt: notBefore(nextAt, everyMs, this.#from, this.#deps.clock.now()) };
      }
      case 'cron':
        return pace;
      case 'tokens': {
        const { start, cap, perDay, zone } = pace;
        // The first day brings a token as any other, and the first scrape of a new target is paid for before.
        const unspent = Math.max(0, start - 1);
        const bucket = stored?.pace.kind === 'tokens' ? stored.pace.bucket : { tokens: unspent, day: 0 };
        const priority = priorityOf(row?.found ?? [], multiplier);
        return { kind: 'tokens', bucket, priority, limits: { start, cap, perDay }, zone };
      }
      case 'continuous': {
        const { sleepMs } = pace;
        return { kind: 'continuous', sleepMs, tookMs: usualTookMs(requests, sleepMs, host) };
      }
      case 'objective':
      case undefined:
        return { kind: 'objective' };
      default:
        return pace satisfies never;
    }
  }

  #hostOf(key: string, source: Source): Host {
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    const pace = paceOf(source, this.#deps.knownPace(key));
    const host = { key, pace, entries: [], promises: new HostPromises(pace), infeasible: 0 };
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

/** What is promised but for the fields that a pulse verifies more often than they have to be. */
function unpulsed(schedule: TargetSchedule, { pulse }: Source, pulsedMs: number | undefined): TargetSchedule {
  const { fields, ...ages } = schedule.objectives;
  if (pulse === undefined || pulsedMs === undefined || fields === undefined) return schedule;
  const scraped = Object.entries(fields).filter(
    ([field, { warnAfter, errorAfter = 0 }]) =>
      !Object.hasOwn(pulse.fields, field) || (warnAfter ?? errorAfter) <= pulsedMs,
  );
  return { ...schedule, objectives: { ...ages, fields: Object.fromEntries(scraped) } };
}

/** When the interval of a target next asks, after its first scrape where that is to come. */
function nextOf({ firstAt, since, drawnAt }: ScheduleRow, grid: Grid): number {
  return nextGridTurn(grid, Math.max(since, firstAt ?? -Infinity), drawnAt);
}

/** A forecast that begins some day meets the turns of its days, and not all those until then at once. */
function notBefore(nextAt: number, everyMs: number, from: number, now: number): number {
  if (from <= now || nextAt >= from) return nextAt;
  return nextAt + Math.ceil((from - nextAt) / everyMs) * everyMs;
}
