import { compile } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import type { ExtractPlan, FieldPlan, RecordPlan } from './plan.ts';

/** Whether an element matches a selector. */
export type Matcher = (element: Element) => boolean;

/** A plan whose selectors are ready to be asked. */
export interface CompiledPlan {
  readonly plan: ExtractPlan;
  readonly records: readonly CompiledRecord[];
}

export interface CompiledRecord {
  readonly plan: RecordPlan;
  readonly each?: Matcher;
  readonly fields: readonly CompiledField[];
}

export interface CompiledField {
  readonly plan: FieldPlan;
  readonly matches: Matcher;
}

/** Plans kept compiled, per thread. */
const maxKept = 1_000;
const kept = new Map<string, CompiledPlan>();

/** Compiles a plan's selectors, or finds them compiled under its id; the plan that was not used for longest is forgotten first. */
export function compilePlan(plan: ExtractPlan): CompiledPlan {
  const compiled = kept.get(plan.id) ?? { plan, records: plan.records.map(compileRecord) };
  kept.delete(plan.id);
  kept.set(plan.id, compiled);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return compiled;
}

function compileRecord(plan: RecordPlan): CompiledRecord {
  return {
    plan,
    ...(plan.each !== undefined && { each: compileSelector(plan.each) }),
    fields: plan.fields.map((field) => ({ plan: field, matches: compileSelector(field.css) })),
  };
}

function compileSelector(css: string): Matcher {
  return compile<AnyNode, Element>(css);
}
