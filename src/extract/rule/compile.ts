import { compileFilter, type Filter } from '../filter/all.ts';
import type { Value } from '../draft.ts';
import { FilterError } from '../filter/error.ts';
import type { FilterFunction, FilterPlan } from '../filter/plan.ts';
import type { BranchPlan, FieldPlan, ObjectRule, RulePlan, ValueRule } from '../plan.ts';
import { quoted } from '../value/quoted.ts';
import type { ScalarRule } from '../value/rule.ts';
import { compilePlace, type Dialect, type Find, isSingular } from './place.ts';

/** A rule whose places and filters are ready. */
export interface CompiledRule {
  readonly plan: RulePlan;
  readonly branches: readonly CompiledBranch[];
  readonly filters: readonly NamedFilter[];
  readonly value: CompiledValue;
  /** Matches that are looked at: all for a list. */
  readonly most: number;
}

export interface CompiledField extends CompiledRule {
  readonly plan: FieldPlan;
}

export interface CompiledBranch {
  readonly plan: BranchPlan;
  readonly find: Find;
  /** Whether it leads to one value, which may be a list itself. */
  readonly isSingular: boolean;
  readonly filters: readonly NamedFilter[];
}

/** A filter, and what a person knows it by. */
export interface NamedFilter {
  readonly name: string;
  readonly run: Filter;
}

export type CompiledValue = CompiledScalar | CompiledObject | CompiledArray;

export interface CompiledScalar {
  readonly type: 'scalar';
  readonly rule: ScalarRule;
  /** Whether what is no text stands as it is: a function has made it. */
  readonly isOpen: boolean;
}

export interface CompiledObject {
  readonly type: 'object';
  readonly fields: readonly CompiledField[];
  readonly result: ObjectRule['result'];
}

export interface CompiledArray {
  readonly type: 'array';
  readonly of: CompiledValue;
}

/** Elements of one list, at most. */
export const maxElements = 10_000;

/** Makes a rule ready; the rules of objects within it see nothing but their own match. */
export function compileRule(plan: RulePlan, dialect: Dialect): CompiledRule {
  const isList = plan.rule.type === 'array';
  return {
    plan,
    branches: plan.branches.map((branch) => ({
      plan: branch,
      find: compilePlace(branch.place, dialect),
      isSingular: isSingular(branch.place),
      filters: branch.filters.map(compileNamed),
    })),
    filters: plan.filters.map(compileNamed),
    value: compileValue(plan.rule, { ...dialect, isScoped: true }, hasFunction(plan)),
    // One more than a list may hold, so that it is known to be too long.
    most: isList && plan.first !== true ? maxElements + 1 : 1,
  };
}

export function compileField(plan: FieldPlan, dialect: Dialect): CompiledField {
  return { ...compileRule(plan, dialect), plan };
}

function hasFunction({ branches, filters }: RulePlan): boolean {
  const given = branches.flatMap(({ take, filters: own }) => [take, ...own]);
  return [...given, ...filters].some((each) => typeof each === 'function');
}

function compileValue(rule: ValueRule, dialect: Dialect, isOpen: boolean): CompiledValue {
  if (rule.type === 'array') return { type: 'array', of: compileValue(rule.of, dialect, isOpen) };
  if (rule.type !== 'object') return { type: 'scalar', rule, isOpen: isOpen && rule.type === 'text' };
  return {
    type: 'object',
    fields: rule.fields.map((field) => compileField(field, dialect)),
    result: rule.result,
  };
}

function compileNamed(plan: FilterPlan): NamedFilter {
  if (typeof plan !== 'function') return { name: plan.type, run: compileFilter(plan) };
  const name = plan.name || 'function';
  const guarded = guardedFunction(plan, name);
  return { name, run: (value) => (isList(value) ? value.map(guarded) : guarded(value)) };
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** A function of a plug-in: what it throws is evidence, nothing is null, and an empty text leaves the value as it is. */
function guardedFunction(change: FilterFunction, name: string): (value: Value) => Value {
  return (value) => {
    const changed = outcome();
    return changed === '' ? value : (changed ?? null);

    function outcome(): Value | undefined {
      try {
        return change(value);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new FilterError(quoted(value), `a value; filter "${name}" had an error: ${message}`);
      }
    }
  };
}
