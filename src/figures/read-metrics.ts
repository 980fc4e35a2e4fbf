import type { Catalogue } from '../definition/catalogue.ts';
import { planOf, sourcesOf } from '../definition/figure-fields.ts';
import { computeMetrics, type Metric } from '../metric/compute.ts';
import type { Metrics } from '../metric/metric.ts';
import type { Store } from '../store/store.ts';
import { statusFor } from '../store/tables/project-status.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import { readInputs, TooManyRecords } from './input-cells.ts';
import type { ReadRates } from './rates.ts';

/** What metrics are read from. */
export interface MetricDeps {
  store(): Store;
  catalogue(): Catalogue;
  readonly rates: ReadRates;
  /** The age that a rate may have, in days. */
  readonly maxRateAge: number;
}

/** The metrics of a project, and what keeps others from being computed. */
export interface ReadMetrics {
  readonly metrics: readonly Metric[];
  /** Sentences on metrics that do not fit the definitions any more, on rates that cannot be read, and on too many records. */
  readonly problems: readonly string[];
}

/** Computes the metrics of a project as they are now, and leaves the event loop free between slices of records. */
export async function readMetrics(project: ProjectRow, deps: MetricDeps): Promise<ReadMetrics> {
  const { metrics: written = {} } = project;
  if (Object.keys(written).length === 0) return { metrics: [], problems: [] };
  const store = deps.store();
  const loaded = deps.catalogue().sources;
  const targets = project.targets.flatMap((number) => {
    const target = store.targets.get(number);
    return target === undefined || statusFor(project.id, target) === 'disabled' ? [] : [target];
  });
  const sources = sourcesOf(targets, loaded);
  if (sources === undefined) return withoutValues(written, 'a source of its targets has no definition that is loaded');
  const { metrics: plan, issues } = planOf(written, sources);
  const inputs = plan.flatMap((metric) => ('input' in metric ? [metric.input] : []));
  const { table, problem } = await deps.rates();
  const problems = [
    ...issues.map(({ path, message }) => `metrics.${path.join('.')}: ${message}`),
    ...(problem === undefined ? [] : [problem]),
  ];
  try {
    const byId = new Map(sources.map((source) => [source.id, source]));
    const { cells, unread } = await readInputs(inputs, { store, sources: byId, project });
    const facts = {
      cells: (input: (typeof inputs)[number]) => cells.get(input) ?? [],
      unread: (input: (typeof inputs)[number]) => unread.get(input),
      rates: table,
      maxRateAge: deps.maxRateAge,
    };
    const computed = new Map(computeMetrics(plan, facts).map((metric) => [metric.name, metric]));
    const unfit = new Map(issues.map(({ path: [name], message }) => [String(name), message]));
    const metrics = Object.keys(written).map(
      (name) => computed.get(name) ?? withoutValue(name, unfit.get(name) ?? 'it does not fit the definitions'),
    );
    return { metrics, problems };
  } catch (error) {
    if (!(error instanceof TooManyRecords)) throw error;
    return withoutValues(written, error.message);
  }
}

function withoutValues(written: Metrics, message: string): ReadMetrics {
  return { metrics: Object.keys(written).map((name) => withoutValue(name, message)), problems: [message] };
}

/** A metric that cannot be computed: it has no value rather than an old one. */
function withoutValue(name: string, message: string): Metric {
  return { name, value: null, reason: { code: 'no_result', message }, records: 0, inputs: [], rates: [] };
}
