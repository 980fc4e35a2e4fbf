import type { ParentNode } from 'domhandler';
import { expectation, unfolded } from '../definition/problem.ts';
import { ruleSchemas } from '../definition/rule.ts';
import type { Value } from '../extract/draft.ts';
import type { FieldPlan } from '../extract/plan.ts';
import { type EvaluatedRules, type EvaluateOptions, evaluateRules } from '../extract/rule/rules.ts';
import { fieldPlans } from './rule-plan.ts';

const { Fields } = ruleSchemas(true);

/** Rules as plug-ins write them are kept read by their object, as they are the same for every page. */
const known = new WeakMap<object, readonly FieldPlan[]>();

/**
 * Evaluates rules that a plug-in gives in the forms of a definition, where functions may stand for `take` and for filters. Throws
 * a `TypeError` that names the place of what is wrong in the rules.
 */
export function readRules(root: ParentNode | Value, rules: object, options: EvaluateOptions = {}): EvaluatedRules {
  const plans = known.get(rules) ?? plansOf(rules);
  known.set(rules, plans);
  return evaluateRules(root, plans, options);
}

function plansOf(rules: object): readonly FieldPlan[] {
  const parsed = Fields.safeParse(rules, { error: expectation });
  if (parsed.success) return fieldPlans(parsed.data);
  const [first] = parsed.error.issues.flatMap(unfolded);
  throw new TypeError(`rules: ${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}`);
}
