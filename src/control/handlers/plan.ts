import { setImmediate } from 'node:timers/promises';
import { type Forecast, forecastSteps, type ForecastHost } from '../../schedule/forecast.ts';
import type { TargetSchedule } from '../../schedule/levels.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { inSlices } from '../../store/slices.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { PlanView } from '../methods/schedule.ts';
import { type PlannedPlace, type PlanPorts, PlanTargets } from './plan-targets.ts';
import { OneByOne } from './one-by-one.ts';
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

/** The parts of a project that decide its targets' schedules. */
type Level = Pick<ProjectSpec, 'multiplier' | 'schedule'>;
const plainProject: Level = { multiplier: 1 };

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
      infeasible: inputs.infeasible.slice(0, 100),
    };
  }
}

/** Throws a `ControlError` if `from` lies before the present day (UTC) or more than ten years ahead. */
function checkFrom(from: number, now: number): void {
  if (from >= Math.floor(now / dayMs) * dayMs && from <= now + farthestMs) return;
  const what = 'an instant from the present day on and within ten years';
  throw new ControlError('invalid_params', `from: expected ${what}, got ${instantText(from)}`);
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
  const scheduleOf = schedules(deps);
  const read: ReadProject[] = [];
  for (const [index, project] of projects.entries()) {
    read.push(readProject(project, index, deps));
    if (breaks.isDue()) await breaks.take();
  }
  const listed = new Map(specsOf(read).map((spec) => [spec.id, spec]));
  let skipped = 0;
  if (!prune) await addTracked();
  for (const spec of listed.values()) await addSpec(spec);
  return skipped;

  /** Targets are read in the order of their numbers, so that a million of them take seconds. */
  async function addTracked(): Promise<void> {
    const others = await projectsBesides();
    const after = (last: TargetRow | undefined, limit: number): Iterable<TargetRow> =>
      store().targets.rows({ after: last?.target ?? 0, limit });
    for await (const rows of inSlices(after, atOnce)) {
      const stored = store().schedule.rowsBetween(rows[0]?.target ?? 0, rows.at(-1)?.target ?? 0);
      for (const row of rows) {
        const project = others.get(row.project) ?? plainProject;
        if (project === 'left out') continue;
        if (row.status === 'active') add(project, row, { row, ...defined({ stored: stored.get(row.target) }) });
        // What is parked is not asked, and its objective counts all the same.
        else if (row.status === 'parked') addObjective(project, row);
        if (breaks.isDue()) await breaks.take();
      }
    }
  }

  /** The projects that are not plain: those with settings of their own, and those whose targets do not count. */
  async function projectsBesides(): Promise<Map<string, Level | 'left out'>> {
    const others = new Map<string, Level | 'left out'>();
    for await (const rows of inSlices(store().projects.rowsAfter, atOnce))
      for (const { id, status, multiplier, schedule } of rows) {
        if (status !== 'active' || listed.has(id)) others.set(id, 'left out');
        else if (multiplier !== 1 || schedule !== undefined) others.set(id, { multiplier, ...defined({ schedule }) });
        if (breaks.isDue()) await breaks.take();
      }
    return others;
  }

  async function addSpec(spec: ProjectSpec): Promise<void> {
    const numbers = store().projects.get(spec.id)?.targets ?? [];
    const rows = numbers.flatMap((number) => store().targets.get(number) ?? []);
    const known = new Map(rows.map((row) => [placeKey(row), row]));
    for (const place of spec.targets) {
      const row = known.get(placeKey(place));
      // What the site has finished stays so.
      if (row?.status === 'active') add(spec, place, { row, ...defined({ stored: store().schedule.get(row.target) }) });
      else if (row?.status !== 'finished') add(spec, place);
      if (breaks.isDue()) await breaks.take();
    }
  }

  function add(
    project: Level,
    place: ProjectSpec['targets'][number],
    tracked: Pick<PlannedPlace, 'row' | 'stored'> = {},
  ): void {
    const source = catalogue().sources.get(place.source)?.source;
    const schedule = scheduleOf(place, project);
    if (source === undefined || schedule?.pace === undefined) skipped += 1;
    else inputs.add(source, { url: place.url, multiplier: project.multiplier, schedule, ...tracked });
  }

  function addObjective(project: Level, row: TargetRow): void {
    const source = catalogue().sources.get(row.source)?.source;
    const schedule = scheduleOf(row, project);
    const pages = store().schedule.get(row.target)?.fresh?.records?.pages;
    if (source !== undefined && schedule !== undefined) inputs.addObjective(source, row.url, schedule, pages);
  }
}

/** Returns a function that finds the schedule of a place. Each schedule is worked out once for all targets with equal settings. */
function schedules({ schedule }: PlanPorts) {
  const known = new Map<string, TargetSchedule | undefined>();
  return (
    { source, schedule: target }: Pick<ProjectSpec['targets'][number], 'source' | 'schedule'>,
    { schedule: project }: Level,
  ): TargetSchedule | undefined => {
    const isPlain = target === undefined && project === undefined;
    const key = isPlain ? source : JSON.stringify([source, target, project]);
    if (!known.has(key)) known.set(key, schedule.scheduleOf({ source, ...defined({ target, project }) }));
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

function placeKey({ source, url }: Pick<TargetRow, 'source' | 'url'>): string {
  return `${source} ${url}`;
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
