import type { ExtractPlan, RecordPlan } from './plan.ts';
import { type CompiledField, type CompiledRule, compileField, compileRule } from './rule/compile.ts';
import { compilePlace, type Dialect, type Find, isSingular } from './rule/place.ts';
import { compileLinks, type FindLinks } from './links.ts';

/** A plan whose places and filters are ready to be asked. */
export interface CompiledPlan {
  readonly plan: ExtractPlan;
  readonly records: readonly CompiledRecord[];
  readonly next?: CompiledRule;
  readonly links?: FindLinks;
}

export interface CompiledRecord {
  readonly plan: RecordPlan;
  readonly each?: { readonly find: Find; readonly isSingular: boolean };
  readonly fields: readonly CompiledField[];
}

/** Plans kept compiled, per thread. */
const maxKept = 1_000;
const kept = new Map<string, CompiledPlan>();

/** Compiles a plan, or finds it compiled under its id; the plan that was not used for longest is forgotten first. */
export function compilePlan(plan: ExtractPlan): CompiledPlan {
  const compiled = kept.get(plan.id) ?? compiledOf(plan);
  kept.delete(plan.id);
  kept.set(plan.id, compiled);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return compiled;
}

function compiledOf(plan: ExtractPlan): CompiledPlan {
  const dialect: Dialect = { isXml: plan.document === 'xml', isScoped: false };
  return {
    plan,
    records: plan.records.map((record) => compileRecord(record, dialect)),
    ...(plan.next !== undefined && { next: compileRule(plan.next, dialect) }),
    ...(plan.links !== undefined && { links: compileLinks(plan.links, dialect) }),
  };
}

function compileRecord(plan: RecordPlan, dialect: Dialect): CompiledRecord {
  const { each } = plan;
  return {
    plan,
    ...(each !== undefined && { each: { find: compilePlace(each, dialect), isSingular: isSingular(each) } }),
    fields: plan.fields.map((field) => compileField(field, dialect)),
  };
}
