import { setImmediate } from 'node:timers/promises';
import { type Forecast, forecastSteps, type ForecastHost } from '../../schedule/forecast.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import { inSlices } from '../../store/slices.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { PlanView } from '../methods/schedule.ts';
import type { HandlerDeps } from './deps.ts';
import { ForecastInputs } from './forecasting.ts';
import { OneByOne } from './one-by-one.ts';
import { type ReadProject, readProject, specsOf } from './project-spec.ts';
import { infeasibleView } from './views.ts';

const dayMs = 86_400_000;

/** What is so far ahead that nothing of the present says anything about it. */
const farthestMs = 3_653 * dayMs;

/** Forecasts that wait for the one under way; each takes memory and time that grow with its targets and days. */
const waitingForecasts = 16;
/** Listed projects that are looked at without a turn of the event loop. */
const atOnce = 20;

type Span = { readonly days: number; readonly from: number };

export function planHandlers(deps: HandlerDeps): Pick<Handlers, 'schedule.plan'> {
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
    const inputs = new ForecastInputs(deps, from);
    const skipped = await addAll(params, inputs, deps, signal);
    const infeasible = inputs.demands.infeasible();
    const hosts = inputs.hosts(Map.groupBy(infeasible, ({ key }) => key));
    const forecast = await runForecast(hosts, { days: params.days, from }, signal);
    const { busiest, objectives } = forecast;
    return {
      from,
      days: params.days,
      skipped,
      ...forecast,
      objectives: { ...objectives, infeasible: inputs.infeasible },
      busiest: busiest.map((host) => {
        const { delayMs, infeasible: refused } = inputs.limitsOf(host.key);
        return { ...host, delayMs, objectives: { ...host.objectives, infeasible: refused } };
      }),
      infeasible: infeasible.slice(0, 100).map(infeasibleView),
    };
  }
}

/** What has passed was as it was, whatever the present state is. */
function checkFrom(from: number, now: number): void {
  if (from >= Math.floor(now / dayMs) * dayMs && from <= now + farthestMs) return;
  const what = 'an instant from the present day on and within ten years';
  throw new ControlError('invalid_params', `from: expected ${what}, got ${instantText(from)}`);
}

/** An instant as a date, where there is one of it. */
function instantText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** Adds what is tracked, a list in place of the projects that it names; tells how many targets were left out. */
async function addAll(
  { projects = [], prune }: Params<'schedule.plan'>,
  inputs: ForecastInputs,
  deps: HandlerDeps,
  signal: AbortSignal,
): Promise<number> {
  const { store, catalogue } = deps;
  const read: ReadProject[] = [];
  for (const [index, project] of projects.entries()) {
    read.push(readProject(project, index, deps));
    if (index % atOnce === 0) await setImmediate();
  }
  const listed = new Map(specsOf(read).map((spec) => [spec.id, spec]));
  let skipped = 0;
  if (!prune)
    for await (const rows of inSlices(store().projects.rowsAfter))
      for (const row of rows) if (row.status === 'active' && !listed.has(row.id)) await addProject(row);
  for (const spec of listed.values()) await addSpec(spec);
  return skipped;

  async function addProject(project: ProjectRow): Promise<void> {
    for (const row of rowsOf(project)) {
      if (row.status === 'active') await add(project, row, row);
      // What is parked is not asked, and promised all the same.
      else if (row.status === 'parked') promise(project, row);
    }
  }

  async function addSpec(spec: ProjectSpec): Promise<void> {
    const project = store().projects.get(spec.id);
    const known = new Map(project === undefined ? [] : rowsOf(project).map((row) => [placeOf(row), row]));
    for (const place of spec.targets) {
      const row = known.get(placeOf(place));
      // What the site has finished stays so.
      if (row?.status !== 'finished') await add(spec, place, row?.status === 'active' ? row : undefined);
    }
  }

  async function add(
    project: Pick<ProjectSpec, 'multiplier' | 'schedule'>,
    place: ProjectSpec['targets'][number],
    row: TargetRow | undefined,
  ): Promise<void> {
    signal.throwIfAborted();
    const source = catalogue().sources.get(place.source)?.source;
    const levels = {
      ...(place.schedule && { target: place.schedule }),
      ...(project.schedule && { project: project.schedule }),
    };
    const schedule = deps.scheduleOf({ source: place.source, ...levels });
    if (source === undefined || schedule?.pace === undefined) {
      skipped += 1;
      return;
    }
    const { multiplier } = project;
    await inputs.add(source, { source: place.source, url: place.url, multiplier, schedule, ...(row && { row }) });
  }

  function promise(project: ProjectRow, { source: id, url, schedule: target }: TargetRow): void {
    const source = catalogue().sources.get(id)?.source;
    const levels = { ...(target && { target }), ...(project.schedule && { project: project.schedule }) };
    const schedule = deps.scheduleOf({ source: id, ...levels });
    if (source !== undefined && schedule !== undefined) inputs.demands.add(source, url, schedule);
  }

  function rowsOf(project: ProjectRow): TargetRow[] {
    return project.targets.flatMap((number) => store().targets.get(number) ?? []);
  }
}

function placeOf({ source, url }: Pick<TargetRow, 'source' | 'url'>): string {
  return `${source} ${url}`;
}

/** Goes through the hosts in steps, between which others have their turn. */
async function runForecast(
  hosts: Iterable<ForecastHost>,
  { days, from }: Span,
  signal: AbortSignal,
): Promise<Forecast> {
  const steps = forecastSteps(hosts, { at: from, days });
  for (;;) {
    signal.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
