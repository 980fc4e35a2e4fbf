import { setImmediate } from 'node:timers/promises';
import type { Infeasible } from '../../definition/feasible.ts';
import { type Forecast, forecastSteps, type ForecastHost } from '../../schedule/forecast.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import { inSlices } from '../../store/slices.ts';
import type { Handlers, Params } from '../methods.ts';
import type { InfeasibleView } from '../methods/objective.ts';
import type { PlanView } from '../methods/schedule.ts';
import type { HandlerDeps } from './deps.ts';
import { ForecastInputs } from './forecasting.ts';
import { projectSpec } from './project.ts';

type Step = { readonly days: number; readonly from: number };

export function planHandlers(deps: HandlerDeps): Pick<Handlers, 'schedule.plan'> {
  return {
    'schedule.plan': async (params, { signal }) => {
      const from = params.from ?? deps.clock.now();
      const inputs = new ForecastInputs(deps, from, await presentDelays(deps));
      const skipped = await addAll(params, inputs, deps, signal);
      const forecast = await runForecast(inputs.hosts(), { days: params.days, from }, signal);
      return planView(forecast, { days: params.days, from }, inputs, skipped);
    },
  };
}

/** Adds what is tracked, a list in place of the projects that it names; tells how many targets were left out. */
async function addAll(
  { projects = [], prune }: Params<'schedule.plan'>,
  inputs: ForecastInputs,
  deps: HandlerDeps,
  signal: AbortSignal,
): Promise<number> {
  const { store, catalogue } = deps;
  const listed = new Map(projects.map((project) => [project.id, projectSpec(project, deps)]));
  let skipped = 0;
  if (!prune)
    for await (const rows of inSlices(store().projects.rowsAfter))
      for (const row of rows) if (row.status === 'active' && !listed.has(row.id)) await addProject(row);
  for (const spec of listed.values()) await addSpec(spec);
  return skipped;

  async function addProject(project: ProjectRow): Promise<void> {
    for (const row of rowsOf(project)) if (row.status === 'active') await add(project, row, row);
  }

  async function addSpec(spec: ProjectSpec): Promise<void> {
    const project = store().projects.get(spec.id);
    const known = project === undefined ? [] : rowsOf(project);
    for (const place of spec.targets) {
      const row = known.find(({ source, url }) => source === place.source && url === place.url);
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

  function rowsOf(project: ProjectRow): TargetRow[] {
    return project.targets.flatMap((number) => store().targets.get(number) ?? []);
  }
}

/** The pause at present of each host that has answered; of others their definitions tell. */
async function presentDelays(deps: HandlerDeps): Promise<ReadonlyMap<string, number>> {
  const delays = new Map<string, number>();
  let after: string | undefined;
  do {
    const ledgers = await deps.ledgers({ after, limit: 1_000 });
    for (const { key, delayMs, latencyMs } of ledgers) if (latencyMs !== undefined) delays.set(key, delayMs);
    after = ledgers.length < 1_000 ? undefined : ledgers.at(-1)?.key;
  } while (after !== undefined);
  return delays;
}

/** Goes through the hosts in steps, between which others have their turn. */
async function runForecast(
  hosts: Iterable<ForecastHost>,
  { days, from }: Step,
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

function planView(forecast: Forecast, { days, from }: Step, inputs: ForecastInputs, skipped: number): PlanView {
  const { busiest, hosts, targets, requests, bytes, peak, objectives } = forecast;
  return {
    from,
    days,
    hosts,
    targets,
    skipped,
    requests,
    bytes,
    peak,
    objectives,
    busiest: busiest.map((host) => ({ ...host, ...inputs.hostPace(host.key) })),
    infeasible: inputs.demands.infeasible().slice(0, 100).map(infeasibleView),
  };
}

export function infeasibleView({ neededMs, nearestMs, ...rest }: Infeasible): InfeasibleView {
  return {
    ...rest,
    neededMs: Math.round(neededMs),
    ...(nearestMs !== undefined && { nearestMs: Math.round(nearestMs) }),
  };
}
