import type { Catalogue } from '../definition/catalogue.ts';
import { planOf, sourcesOf } from '../definition/figure-fields.ts';
import type { Source } from '../definition/source.ts';
import { computeMetrics, type Metric } from '../metric/compute.ts';
import type { Metrics } from '../metric/metric.ts';
import type { MetricPlan } from '../metric/plan.ts';
import type { Store } from '../store/store.ts';
import { statusFor } from '../store/tables/project-status.ts';
import type { ProjectRow, TargetRow } from '../store/tables/rows.ts';
import { ProjectTotals, TooManyInputs } from './project-totals.ts';
import type { ReadRates } from './rates.ts';

/** The dependencies of reading metrics. */
export interface MetricDeps {
  store(): Store;
  catalogue(): Catalogue;
  readonly rates: ReadRates;
  /** The age that a rate may have, in days. */
  readonly maxRateAge: number | undefined;
}

/** The metrics of a project, and what keeps others from being computed. */
export interface ReadMetrics {
  readonly metrics: readonly Metric[];
  /** Sentences on metrics that do not fit the definitions any more, on rates that cannot be read, and on too many records. */
  readonly problems: readonly string[];
}

/** The metrics of a project, compiled, with the totals of their records. */
export interface PreparedMetrics {
  readonly plan: MetricPlan;
  readonly totals: ProjectTotals;
}

/** Metrics that are ready to be computed, or why none of them can be. */
export type Preparation = ({ readonly ok: true } & PreparedMetrics) | { readonly ok: false; readonly message: string };

/** Computes the metrics of a project as they are now from all its records, and leaves the event loop free between slices of them. */
export async function readMetrics(project: ProjectRow, deps: MetricDeps): Promise<ReadMetrics> {
  if (Object.keys(project.metrics ?? {}).length === 0) return { metrics: [], problems: [] };
  return computePrepared(project, await prepareMetrics(project, membersOf(project, deps), deps), deps);
}

/** The targets that the metrics of a project are taken from, and their sources. */
export interface ProjectMembers {
  /** In the order of the project, without those that it has disabled. */
  readonly targets: readonly TargetRow[];
  /** Missing where one of them has no definition that is loaded. */
  readonly sources: readonly Source[] | undefined;
}

/** Finds the targets and sources that the metrics of a project are taken from. */
export function membersOf(
  project: ProjectRow,
  { store, catalogue }: Pick<MetricDeps, 'store' | 'catalogue'>,
): ProjectMembers {
  const targets = project.targets.flatMap((number) => {
    const target = store().targets.get(number);
    return target === undefined || statusFor(project.id, target) === 'disabled' ? [] : [target];
  });
  return { targets, sources: sourcesOf(targets, catalogue().sources) };
}

/** Compiles the metrics of a project and reads all records that they are taken from. */
export async function prepareMetrics(
  project: ProjectRow,
  { targets, sources }: ProjectMembers,
  { store }: Pick<MetricDeps, 'store'>,
): Promise<Preparation> {
  if (sources === undefined) return { ok: false, message: 'a source of its targets has no definition that is loaded' };
  const plan = planOf(project.metrics ?? {}, sources);
  const metrics = plan.metrics.filter((metric) => 'input' in metric);
  try {
    const totals = await ProjectTotals.read({ store: store(), project: project.id, targets, sources, metrics });
    return { ok: true, plan, totals };
  } catch (error) {
    if (error instanceof TooManyInputs) return { ok: false, message: error.message };
    throw error;
  }
}

/** Computes prepared metrics by the rates of the present. */
export async function computePrepared(
  { metrics: written = {} }: ProjectRow,
  prepared: Preparation,
  { rates, maxRateAge }: Pick<MetricDeps, 'rates' | 'maxRateAge'>,
): Promise<ReadMetrics> {
  if (!prepared.ok) return withoutValues(written, prepared.message);
  const { plan, totals } = prepared;
  const { table, problem } = await rates();
  const facts = { totals: totals.totals, unread: totals.unread(), rates: table, maxRateAge };
  const computed = new Map(computeMetrics(plan.metrics, facts).map((metric) => [metric.name, metric]));
  const unfit = new Map(plan.issues.map(({ path: [name], message }) => [String(name), message]));
  return {
    metrics: Object.keys(written).map(
      (name) => computed.get(name) ?? withoutValue(name, unfit.get(name) ?? 'it does not fit the definitions'),
    ),
    problems: [
      ...plan.issues.map(({ path, message }) => `metrics.${path.join('.')}: ${message}`),
      ...(problem === undefined ? [] : [problem]),
    ],
  };
}

function withoutValues(written: Metrics, message: string): ReadMetrics {
  return { metrics: Object.keys(written).map((name) => withoutValue(name, message)), problems: [message] };
}

/** A metric that cannot be computed: it has no value rather than an old one. */
function withoutValue(name: string, message: string): Metric {
  return { name, value: null, reason: { code: 'no_result', message }, records: 0, inputs: [], rates: [] };
}
