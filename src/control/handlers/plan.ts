import { setImmediate } from 'node:timers/promises';
import { type Forecast, forecastSteps, type ForecastHost } from '../../schedule/forecast.ts';
import type { TargetSchedule } from '../../schedule/levels.ts';
import { multiplierOf } from '../../schedule/watchers.ts';
import type { ScheduleRow } from '../../schedule/row.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import type { Place } from '../../store/tables/targets.ts';
import { inSlices } from '../../store/slices.ts';
import { defined } from '../../defined.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { PlanView } from '../methods/schedule.ts';
import { type PlanPorts, PlanTargets } from './plan-targets.ts';
import { CutLists } from './cut-lists.ts';
import { OneByOne } from './one-by-one.ts';
import { PlacesAfter } from './places-after.ts';
import { mostNamed, someOf } from './resting.ts';
import { type ReadProject, readProject, specsOf } from './project-spec.ts';

const dayMs = 86_400_000;

/** The farthest start of a forecast from the present, in ms. */
const farthestMs = 3_653 * dayMs;

/** Forecasts that wait for the one under way; each takes memory and time that grow with its targets and days. */
const waitingForecasts = 16;
/** Rows read in one go. */
const atOnce = 500;
/** The longest work between two turns of the event loop, in ms. */
const workMs = 5;

type Span = { readonly days: number; readonly from: number };

/** Returns the handler of `schedule.plan`: one forecast is made at a time, up to 16 wait, and any more are refused with `not_ready`. */
export function planHandlers(deps: PlanPorts): Pick<Handlers, 'schedule.plan'> {
  const line = new OneByOne(waitingForecasts);
  return {
    'schedule.plan': async (params, { signal }) => {
      const from = params.from ?? deps.clock.now();
      checkFrom(from, deps.clock.now());
      const planned = await line.run(() => plan(params, from, signal), signal);
      if (planned !== undefined) return planned;
      const what = `one forecast is under way and ${waitingForecasts} wait, which is as many as may`;
      throw new ControlError('not_ready', `schedule.plan: ${what}: ask again when some are answered`);
    },
  };

  async function plan(params: Params<'schedule.plan'>, from: number, signal: AbortSignal): Promise<PlanView> {
    const inputs = new PlanTargets(deps, from);
    const skipped = await addAll(params, inputs, deps, signal);
    const forecast = await runForecast(inputs.hosts(), { days: params.days, from }, signal);
    const { busiest, objectives } = forecast;
    const cut = new CutLists<'infeasible' | 'resting'>();
    return {
      from,
      days: params.days,
      skipped,
      ...forecast,
      objectives: { ...objectives, infeasible: inputs.infeasibleTargets },
      busiest: busiest.map((host) => {
        const { delayMs, infeasible } = inputs.limitsOf(host.key);
        return { ...host, delayMs, objectives: { ...host.objectives, infeasible } };
      }),
      infeasible: cut.first('infeasible', inputs.infeasible, mostNamed),
      ...defined({ resting: someOf(cut.first('resting', inputs.resting.shares(), mostNamed)), cut: cut.names }),
    };
  }
}

/** Throws a `ControlError` if `from` lies before the present day (UTC) or more than ten years ahead. */
function checkFrom(from: number, now: number): void {
  if (from >= Math.floor(now / dayMs) * dayMs && from <= now + farthestMs) return;
  const what = 'an instant from the present day on and within ten years';
  throw invalidParam('from', `expected ${what}, got ${instantText(from)}`);
}

/** Returns an instant as an ISO 8601 text, or as a plain number outside the range of dates. */
function instantText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/**
 * Adds the targets of a plan: those of the projects listed and, without `prune`, the tracked ones of all other projects. Resolves with the
 * number of targets left out because their source is not loaded or no pace asks for them. Rejects with the signal's reason when it fires.
 */
async function addAll(
  { projects = [], prune }: Params<'schedule.plan'>,
  inputs: PlanTargets,
  deps: PlanPorts,
  signal: AbortSignal,
): Promise<number> {
  const { store, catalogue } = deps;
  const breaks = new Breaks(signal);
  const scheduleOf = schedules(deps, inputs.from);
  const read: ReadProject[] = [];
  for (const [index, project] of projects.entries()) {
    read.push(readProject(project, index, deps));
    if (breaks.isDue()) await breaks.take();
  }
  const specs = specsOf(read);
  const listed = new Set(specs.map(({ id }) => id));
  const after = new PlacesAfter((id) => prune || listed.has(id));
  for (const spec of specs) {
    after.add(spec);
    if (breaks.isDue()) await breaks.take();
  }
  let skipped = 0;
  for (const place of after.listed()) {
    const row = store().targets.at(place);
    add(place, row, row && store().schedule.get(row.target));
    if (breaks.isDue()) await breaks.take();
  }
  if (!prune) await addTracked();
  return skipped;

  /** Targets are read in the order of their numbers, so that a million of them take seconds. */
  async function addTracked(): Promise<void> {
    const rowsAfter = (last: TargetRow | undefined, limit: number): Iterable<TargetRow> =>
      store().targets.rows({ after: last?.target ?? 0, limit });
    for await (const rows of inSlices(rowsAfter, atOnce)) {
      const stored = store().schedule.rowsBetween(rows[0]?.target ?? 0, rows.at(-1)?.target ?? 0);
      for (const row of rows) {
        if (!after.has(row)) add(row, row, stored.get(row.target));
        if (breaks.isDue()) await breaks.take();
      }
    }
  }

  function add(place: Place, row: TargetRow | undefined, stored: ScheduleRow | undefined): void {
    const watchers = after.watchersOf(place, row);
    if (watchers.length === 0) return;
    const source = catalogue().sources.get(place.source)?.source;
    const schedule = scheduleOf(place.source, watchers);
    if (schedule !== undefined) inputs.resting.add(place.source, schedule);
    // What is parked is not asked, and its objective counts all the same.
    if (row?.status === 'parked') {
      const pages = stored?.fresh?.records?.pages;
      if (source !== undefined && schedule !== undefined) inputs.addObjective(source, place.url, schedule, pages);
      return;
    }
    if (source === undefined || schedule?.pace === undefined) skipped += 1;
    else {
      const tracked = row?.status === 'active' ? defined({ row, stored }) : {};
      inputs.add(source, { url: place.url, multiplier: multiplierOf(watchers), schedule, ...tracked });
    }
  }
}

/** Returns a function that finds the schedule of a place at an instant. Each schedule is worked out once for all targets with equal settings. */
function schedules({ schedule }: PlanPorts, at: number): PlanPorts['schedule']['scheduleOf'] {
  const known = new Map<string, TargetSchedule | undefined>();
  return (source, watchers) => {
    const said = watchers.flatMap(({ schedule: own, projectSchedule: level }) =>
      own === undefined && level === undefined ? [] : [[own, level]],
    );
    const key = said.length === 0 ? source : JSON.stringify([source, said, said.length < watchers.length]);
    if (!known.has(key)) known.set(key, schedule.scheduleOf(source, watchers, at));
    return known.get(key);
  };
}

/** Lets others have their turn of the event loop every few milliseconds. */
class Breaks {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  isDue(): boolean {
    return performance.now() - this.#since > workMs;
  }

  /** Throws the signal's reason once the caller has hung up. */
  async take(): Promise<void> {
    this.#signal.throwIfAborted();
    await setImmediate();
    this.#since = performance.now();
  }
}

/** Goes through the hosts in steps, between which others have their turn. */
async function runForecast(
  hosts: Iterable<ForecastHost>,
  { days, from }: Span,
  signal: AbortSignal,
): Promise<Forecast> {
  const steps = forecastSteps(hosts, { at: from, days });
  const breaks = new Breaks(signal);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (breaks.isDue()) await breaks.take();
  }
}
