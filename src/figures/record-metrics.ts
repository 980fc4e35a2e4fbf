import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import type { Metric } from '../metric/compute.ts';
import type { Store } from '../store/store.ts';
import { applyToMetrics, type ProjectRules } from './rules.ts';

/** How long the points of a metric are kept, in ms. */
const keptMs = 800 * 86_400_000;

/** Returns the metrics that have another value than their newest point, or lack it for another reason, or have become stale or fresh. */
export function changedMetrics(store: Store, project: string, metrics: readonly Metric[]): Metric[] {
  return metrics.filter((metric) => {
    const before = store.metrics.last(project, metric.name);
    // What has never had a value has not changed.
    if (before === undefined) return metric.value !== null;
    return (
      !isDeepStrictEqual(before.value, metric.value) ||
      before.reason?.code !== metric.reason?.code ||
      (before.stale === undefined) !== (metric.stale === undefined)
    );
  });
}

/** Stores a point of each metric, tells that it changed, and applies the rules on metrics. */
export async function recordMetrics(store: Store, rules: ProjectRules, metrics: readonly Metric[]): Promise<void> {
  const { project } = rules;
  await store.write((change) => {
    for (const { name, value, reason, stale, verifiedAt } of metrics) {
      const old = store.metrics.last(project, name)?.value;
      const state = defined({ reason, stale, verifiedAt });
      store.metrics.put(project, name, change.at, { value, ...state });
      store.metrics.removeBefore(project, name, change.at - keptMs, 10);
      const data = { metric: name, ...defined({ old }), new: value, ...state };
      change.tell({ type: 'metric.changed', projects: [project], data });
    }
    applyToMetrics({ store, change }, rules);
  });
}
