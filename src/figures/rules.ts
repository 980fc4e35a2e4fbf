import type { Catalogue } from '../definition/catalogue.ts';
import { compileRule, recordNames, sourcesOf } from '../definition/figure-fields.ts';
import type { Condition } from '../expression/compile.ts';
import { ofMetrics } from '../metric/metric.ts';
import type { Change, Store } from '../store/store.ts';
import type { MetricRow } from '../store/tables/metrics.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import { isGone } from '../view/record-state.ts';

/** A compiled rule. */
export interface Rule {
  readonly name: string;
  readonly condition: Condition;
}

/** The rules of a project; those that do not fit the definitions are left out. */
export interface ProjectRules {
  /** The id of the project. */
  readonly project: string;
  /** Its targets, by number. */
  readonly targets: readonly number[];
  readonly ofMetrics: readonly Rule[];
  /** By source, then by the type of the record. */
  readonly ofRecords: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
}

/** A transaction in which rules are applied. */
interface Transaction {
  readonly store: Store;
  readonly change: Change;
}

/** Compiles the rules of a project for its metrics and the sources of its targets. */
export function compileRules(
  { id: project, rules = {}, metrics = {}, targets }: ProjectRow,
  store: Store,
  catalogue: Catalogue,
): ProjectRules {
  const places = targets.flatMap((number) => store.targets.get(number) ?? []);
  const sources = sourcesOf(places, catalogue.sources) ?? [];
  const forMetrics: Rule[] = [];
  const forRecords = new Map(sources.map(({ id }) => [id, new Map<string, Rule[]>()]));
  for (const [name, rule] of Object.entries(rules)) {
    const compiled = compileRule(rule, metrics, sources);
    if (!compiled.ok) continue;
    const { condition } = compiled;
    if (rule.of === ofMetrics) forMetrics.push({ name, condition });
    else
      for (const source of sources) {
        if (rule.source !== undefined && rule.source !== source.id) continue;
        const byType = forRecords.get(source.id);
        for (const type of recordNames(source, rule.of))
          byType?.set(type, [...(byType.get(type) ?? []), { name, condition }]);
      }
  }
  return { project, targets, ofMetrics: forMetrics, ofRecords: forRecords };
}

/** Whether any of the rules are on records of a source. */
export function hasRulesOf({ ofRecords }: ProjectRules, source: string): boolean {
  return (ofRecords.get(source)?.size ?? 0) > 0;
}

/**
 * Applies the rules of a project to one record: stores and tells which of them it begins to meet and which it no longer meets. A rule stays as it was
 * where its condition needs a value that is not known. To be called within a transaction.
 *
 * @param record - missing where the record was removed.
 */
export function applyToRecord(
  transaction: Transaction,
  { project, targets, ofRecords }: ProjectRules,
  { number, record }: { readonly number: number; readonly record: RecordView | undefined },
): void {
  const isThere = record !== undefined && !isGone(record);
  const values = valuesOf(record);
  const rules = isThere ? (ofRecords.get(record.source)?.get(record.type) ?? []) : [];
  apply(transaction, { project, number, rules, values }, (type, rule) => {
    // The removal of a record was told.
    if (record === undefined) return;
    const { source, type: of, key, url } = record;
    const isSeenBy = (each: number): boolean => transaction.store.records.seenByNumber(each, number) !== undefined;
    const target = targets.includes(record.target) ? record.target : (targets.find(isSeenBy) ?? record.target);
    transaction.change.tell({ type, projects: [project], source, target, data: { rule, type: of, key, url, values } });
  });
}

/** Applies the rules of a project to its metrics as they were stored last, as `applyToRecord` does to a record. */
export function applyToMetrics(transaction: Transaction, { project, ofMetrics: rules }: ProjectRules): void {
  const { store, change } = transaction;
  const names = Object.keys(store.projects.get(project)?.metrics ?? {});
  const values = Object.fromEntries(names.map((name) => [name, store.metrics.last(project, name)?.value ?? null]));
  apply(transaction, { project, number: 0, rules, values }, (type, rule) =>
    change.tell({ type, projects: [project], data: { rule, values } }),
  );
}

function valuesOf(record: RecordView | undefined): Record<string, MetricRow['value']> {
  return Object.fromEntries(Object.entries(record?.fields ?? {}).map(([name, { value }]) => [name, value]));
}

interface Application {
  readonly project: string;
  /** The number of the record; 0 for metrics. */
  readonly number: number;
  readonly rules: readonly Rule[];
  readonly values: Readonly<Record<string, MetricRow['value']>>;
}

function apply(
  { store, change }: Transaction,
  { project, number, rules, values }: Application,
  tell: (type: 'rule.met' | 'rule.ended', rule: string) => void,
): void {
  const { at } = change;
  const before = store.metRules.ofRecord(project, number);
  const met = new Set(
    rules.filter(({ condition, name }) => condition.holds(values, at) ?? before.has(name)).map(({ name }) => name),
  );
  for (const name of met) {
    if (before.has(name)) continue;
    store.metRules.put(project, number, name, at);
    tell('rule.met', name);
  }
  for (const name of before.keys()) {
    if (met.has(name)) continue;
    store.metRules.remove(project, number, name);
    tell('rule.ended', name);
  }
  const turns = rules.flatMap(({ condition }) => condition.turnsAfter(values, at) ?? []);
  store.metRules.setTurn({ project, record: number }, turns.length === 0 ? undefined : Math.min(...turns));
}
