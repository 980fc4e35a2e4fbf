import { compileCalculation, type Calculation, type FigureKind } from '../expression/figure.ts';
import type { FieldKind } from '../expression/values.ts';
import type { Issue } from '../schema/expected.ts';
import type { MetricInput, Metrics } from './metric.ts';

/** A metric that is taken from records. */
export interface InputMetric {
  readonly name: string;
  readonly kind: FigureKind;
  readonly input: MetricInput;
}

/** A metric that is calculated from those above it. */
export interface CalculatedMetric {
  readonly name: string;
  readonly kind: FigureKind;
  readonly calculation: Calculation;
}

/** A metric, ready to be computed. */
export type PlannedMetric = InputMetric | CalculatedMetric;

/** The type of the field of an input, or why it has none. */
export type InputKind =
  | { readonly ok: true; readonly kind: FieldKind }
  | { readonly ok: false; readonly key: 'of' | 'field' | 'source'; readonly message: string };

/** Metrics in the order in which they are computed, and what is wrong with the others. */
export interface MetricPlan {
  readonly metrics: readonly PlannedMetric[];
  /** Their paths begin with the name of the metric. */
  readonly issues: readonly Issue[];
}

const figures: ReadonlyMap<FieldKind, FigureKind> = new Map<FieldKind, FigureKind>([
  ['number', 'number'],
  ['integer', 'number'],
  ['money', 'money'],
  ['date', 'date'],
  ['datetime', 'datetime'],
]);

/** Compiles the metrics of a project. A calculation uses the metrics above it alone, so that none depends on itself. */
export function planMetrics(metrics: Metrics, kindOf: (input: MetricInput) => InputKind): MetricPlan {
  const planned: PlannedMetric[] = [];
  const issues: Issue[] = [];
  const kinds: Record<string, FigureKind> = {};
  const names = Object.keys(metrics);
  for (const [index, [name, metric]] of Object.entries(metrics).entries()) {
    if (typeof metric === 'string') {
      const compiled = compileCalculation(metric, kinds, names.slice(index));
      if (!compiled.ok) {
        issues.push({ path: [name], message: compiled.message });
        continue;
      }
      const { calculation } = compiled;
      kinds[name] = calculation.kind;
      planned.push({ name, kind: calculation.kind, calculation });
      continue;
    }
    const found = figureKindOf(metric, kindOf);
    if (typeof found !== 'string') {
      issues.push({ path: [name, found.key], message: found.message });
      continue;
    }
    kinds[name] = found;
    planned.push({ name, kind: found, input: metric });
  }
  return { metrics: planned, issues };
}

function figureKindOf(
  input: MetricInput,
  kindOf: (input: MetricInput) => InputKind,
): FigureKind | { readonly key: string; readonly message: string } {
  const found = kindOf(input);
  if (!found.ok) return found;
  if (input.take === 'count') return 'number';
  const kind = figures.get(found.kind);
  if (kind === undefined)
    return { key: 'field', message: 'expected a field of the type number, integer, money, date or datetime' };
  if (input.currency !== undefined && kind !== 'money')
    return { key: 'currency', message: `expected a field of the type money, got ${kind}` };
  const isAdded = input.take === 'sum' || input.take === 'mean';
  if (isAdded && kind !== 'number' && kind !== 'money')
    return { key: 'take', message: `expected another than "${input.take}" for a field of the type ${kind}` };
  return kind;
}
