import { compileCondition, type CompiledCondition, type ExpressionScope } from '../expression/compile.ts';
import { type FieldKind, typeOf } from '../expression/values.ts';
import { type MetricInput, type Metrics, ofMetrics, type Rules } from '../metric/metric.ts';
import { type InputKind, type MetricPlan, planMetrics } from '../metric/plan.ts';
import type { Issue } from '../schema/expected.ts';
import { didYouMean, undeclared } from '../schema/near-name.ts';
import { endFields } from './end-rule.ts';
import { allTypeNames, typesNamed } from './type-names.ts';
import type { Source } from './source.ts';

/** The records of a project's sources, as far as metrics and rules name them. */
type Wanted = Pick<MetricInput, 'of' | 'source'>;

/** Metrics and rules with the sources of a project's targets. */
export interface Figures {
  readonly targets: readonly { readonly source: string }[];
  readonly metrics?: Metrics | undefined;
  readonly rules?: Rules | undefined;
}

/** The sources by id. */
type Sources = ReadonlyMap<string, { readonly source: Source }>;

/** Yields what is wrong between the metrics and rules of a project and the records of its sources. Yields nothing where one of these is not known. */
export function* figureIssues(
  { targets, metrics = {}, rules = {} }: Figures,
  { byId }: { readonly byId: Sources },
): Generator<Issue> {
  const sources = sourcesOf(targets, byId);
  if (sources === undefined) return;
  for (const { path, message } of planOf(metrics, sources).issues) yield { path: ['metrics', ...path], message };
  for (const [name, rule] of Object.entries(rules)) {
    const compiled = compileRule(rule, metrics, sources);
    if (!compiled.ok) yield { path: ['rules', name, compiled.key], message: compiled.message };
  }
}

/** Returns the sources of targets, each once; `undefined` where one of them is not known. */
export function sourcesOf(targets: Figures['targets'], byId: Sources): readonly Source[] | undefined {
  const ids = new Set(targets.map(({ source }) => source));
  const sources = [...ids].flatMap((id) => byId.get(id)?.source ?? []);
  return sources.length < ids.size ? undefined : sources;
}

/** Compiles metrics for the records of these sources. */
export function planOf(metrics: Metrics, sources: readonly Source[]): MetricPlan {
  return planMetrics(metrics, (input) => kindOf(input, sources));
}

/** A rule as a condition on the metrics or on the records of these sources, or what is wrong with it. */
export function compileRule(
  { when, ...wanted }: Rules[string],
  metrics: Metrics,
  sources: readonly Source[],
):
  | (CompiledCondition & { readonly ok: true })
  | { readonly ok: false; readonly key: string; readonly message: string } {
  const found = wanted.of === ofMetrics ? metricKinds(wanted, metrics, sources) : fieldsOf(wanted, sources);
  if (!found.ok) return found;
  const fields = Object.assign({}, ...found.fields) as ExpressionScope['fields'];
  const refused: Record<string, string> = {};
  for (const name of Object.keys(fields)) {
    const fault = typesFault(kindsOf(found.fields, name));
    if (fault !== undefined) refused[name] = `"${name}": ${fault}`;
  }
  const compiled = compileCondition(when, { fields, refused, zone: 'UTC' });
  return compiled.ok ? compiled : { ok: false, key: 'when', message: compiled.message };
}

/** The types of metrics by name, as fields of a rule. */
function metricKinds({ source }: Wanted, metrics: Metrics, sources: readonly Source[]): FoundFields {
  if (source !== undefined)
    return { ok: false, key: 'source', message: 'expected no source: metrics are those of the whole project' };
  const { metrics: planned } = planOf(metrics, sources);
  return { ok: true, fields: [Object.fromEntries(planned.map(({ name, kind }) => [name, kind]))] };
}

/** Returns the names that records of a type have in a source: the type's own, or those of records that say they are of the type. */
export function recordNames({ records, provider }: Source, of: string): readonly string[] {
  const named = typesNamed(records, of);
  return named.length === 0 && endFields({ provider, records }, of) !== undefined ? [of] : named;
}

type FoundFields =
  | { readonly ok: true; readonly fields: readonly ExpressionScope['fields'][] }
  | { readonly ok: false; readonly key: 'of' | 'source'; readonly message: string };

/** The fields of all records of a type, by source. */
function fieldsOf({ of, source }: Wanted, sources: readonly Source[]): FoundFields {
  const among = sources.filter(({ id }) => source === undefined || id === source);
  if (among.length === 0) {
    const ids = sources.map(({ id }) => id);
    const hint = didYouMean(source ?? '', ids);
    return {
      ok: false,
      key: 'source',
      message: `expected a source of its targets (${ids.join(', ')}), got "${source}"${hint}`,
    };
  }
  const fields = among.flatMap((each) => recordNames(each, of).map((name) => endFields(each, name) ?? {}));
  if (fields.length > 0) return { ok: true, fields };
  return { ok: false, key: 'of', message: undeclared('record', of, [...allTypeNames(among)]) };
}

function kindOf(input: MetricInput, sources: readonly Source[]): InputKind {
  const found = fieldsOf(input, sources);
  if (!found.ok) return found;
  const { field } = input;
  if (field === undefined) return { ok: true, kind: 'number' };
  const kinds = kindsOf(found.fields, field);
  const [kind] = kinds;
  if (kind === undefined) {
    const names = new Set(found.fields.flatMap((fields) => Object.keys(fields)));
    return { ok: false, key: 'field', message: undeclared('field', field, [...names]) };
  }
  const fault = typesFault(kinds);
  return fault === undefined ? { ok: true, kind } : { ok: false, key: 'field', message: fault };
}

/** The types that a field has in several types of records, without those that lack the field. */
function kindsOf(all: readonly ExpressionScope['fields'][], field: string): FieldKind[] {
  return all.flatMap((fields) => (Object.hasOwn(fields, field) ? [fields[field] ?? 'text'] : []));
}

/** What is wrong with the types of a field: that expressions tell them apart; `undefined` where they do not, as with `integer` and `number`. */
function typesFault([kind, ...others]: readonly FieldKind[]): string | undefined {
  const other = others.find((each) => kind !== undefined && readAs(each) !== readAs(kind));
  if (kind === undefined || other === undefined) return undefined;
  return `expected one type in all sources, got ${nameOf(kind)} and ${nameOf(other)}: name one with \`source\``;
}

function readAs(kind: FieldKind): string {
  return typeOf(kind) ?? JSON.stringify(kind);
}

function nameOf(kind: FieldKind): string {
  return typeof kind === 'string' ? kind : `list of ${nameOf(kind.list)}`;
}
