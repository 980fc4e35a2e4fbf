import type { Catalogue } from '../definition/catalogue.ts';
import { compileRule, recordNames, sourcesOf } from '../definition/figure-fields.ts';
import type { Condition } from '../expression/compile.ts';
import type { Rules } from '../metric/metric.ts';
import type { Change, Store } from '../store/store.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import { isGone } from '../view/record-state.ts';

/** A rule for the records of a source. */
interface SourceRule {
  readonly name: string;
  readonly types: readonly string[];
  readonly condition: Condition;
}

/** The rules of a project, by source; those that do not fit the definitions are left out. */
export type ProjectRules = ReadonlyMap<string, readonly SourceRule[]>;

/** Compiles the rules of a project for the sources of its targets. */
export function compileRules({ rules = {}, targets }: ProjectRow, store: Store, catalogue: Catalogue): ProjectRules {
  const places = targets.flatMap((number) => store.targets.get(number) ?? []);
  const sources = sourcesOf(places, catalogue.sources) ?? [];
  const compiled = Object.entries<Rules[string]>(rules).flatMap(([name, rule]) => {
    const found = compileRule(rule, sources);
    return found.ok ? [{ name, rule, condition: found.condition }] : [];
  });
  return new Map(
    sources.map((source) => [
      source.id,
      compiled
        .filter(({ rule }) => rule.source === undefined || rule.source === source.id)
        .map(({ name, rule, condition }) => ({ name, condition, types: recordNames(source, rule.of) })),
    ]),
  );
}

/**
 * Applies the rules of a project to one record: stores and tells which of them it begins to meet and which it no longer meets. A rule stays as it was
 * where its condition needs a value that is not known. To be called within a transaction.
 *
 * @param record - missing where the record was removed.
 */
export function applyRules(
  { store, change }: { readonly store: Store; readonly change: Change },
  project: string,
  rules: ProjectRules,
  { number, record }: { readonly number: number; readonly record: RecordView | undefined },
): void {
  const before = store.metRules.ofRecord(project, number);
  const isThere = record !== undefined && !isGone(record);
  const met = new Set(isThere ? metBy(record, rules, { before, at: change.at }) : []);
  for (const name of met)
    if (!before.has(name) && record !== undefined) {
      store.metRules.put(project, number, name, change.at);
      tell(change, 'rule.met', project, name, record);
    }
  for (const name of before.keys())
    if (!met.has(name)) {
      store.metRules.remove(project, number, name);
      if (record !== undefined) tell(change, 'rule.ended', project, name, record);
    }
}

function metBy(
  { source, type, fields }: RecordView,
  rules: ProjectRules,
  { before, at }: { readonly before: ReadonlyMap<string, number>; readonly at: number },
): string[] {
  const wanted = rules.get(source)?.filter(({ types }) => types.includes(type)) ?? [];
  if (wanted.length === 0) return [];
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return wanted
    .filter(({ condition, name }) => condition.holds(values, at) ?? before.has(name))
    .map(({ name }) => name);
}

function tell(
  change: Change,
  type: 'rule.met' | 'rule.ended',
  project: string,
  rule: string,
  { source, target, type: of, key, url, fields }: RecordView,
): void {
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  change.tell({ type, projects: [project], source, target, data: { rule, type: of, key, url, values } });
}
