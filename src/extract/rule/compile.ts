import { compileFilter, filterName, type FilterPlan } from '../filter/all.ts';
import { maxElements } from '../value/value.ts';
import type { CompiledFilter } from '../filter/kind.ts';
import type { ArrayRule, BranchPlan, FieldPlan, ObjectRule, RulePlan, ValueRule } from './plan.ts';
import type { ScalarRule } from '../value/all.ts';
import { compileFrom } from './from.ts';
import { compilePlace, type Dialect, type Find, isSingular } from './place.ts';

/** A rule whose places and filters are compiled. */
export interface CompiledRule<P extends RulePlan = RulePlan> {
  readonly plan: P;
  readonly branches: readonly CompiledBranch[];
  readonly filters: readonly NamedFilter[];
  readonly value: CompiledValue;
  /** Whether it is a text of all matches, which a filter joins. */
  readonly gathers: boolean;
  /** Matches that are looked at: all for a list and for a text of all. */
  readonly most: number;
}

/** A rule with a name, compiled. */
export type CompiledField = CompiledRule<FieldPlan>;

/** One of the places of a rule, compiled. */
export interface CompiledBranch {
  readonly plan: BranchPlan;
  readonly find: Find;
  /** Whether the place finds a single value, which may itself be a list. */
  readonly isSingular: boolean;
  readonly filters: readonly NamedFilter[];
}

/** A compiled filter with its name for people. */
export interface NamedFilter {
  readonly name: string;
  readonly run: CompiledFilter;
}

/** The type of a rule's value, compiled. */
export type CompiledValue =
  /** `isOpen` where a value that is no text stands as it is, because a function has made it. */
  { readonly type: 'scalar'; readonly rule: ScalarRule; readonly isOpen: boolean } | CompiledObject | CompiledList;

/** The type of a list. */
export interface CompiledList {
  readonly type: 'array';
  readonly of: CompiledValue;
  readonly length: ArrayRule['length'];
}

/** The type of an object, whose rules see nothing but its own match. */
export interface CompiledObject {
  readonly type: 'object';
  readonly fields: readonly CompiledField[];
  readonly result: ObjectRule['result'];
}

/** Compiles a rule; the rules of objects within it see nothing but their own match. Throws if a place or a filter is not valid. */
export function compileRule<P extends RulePlan>(plan: P, dialect: Dialect): CompiledRule<P> {
  const isList = plan.rule.type === 'array';
  const gathers =
    plan.rule.type === 'text' && plan.branches.some(({ filters }) => joinsFirst([...filters, ...plan.filters]));
  return {
    plan,
    branches: plan.branches.map((branch) => ({
      plan: branch,
      find: compileBranch(branch, dialect),
      isSingular: isSingular(branch.place),
      filters: branch.filters.map(compileNamed),
    })),
    filters: plan.filters.map(compileNamed),
    value: compileValue(plan.rule, { ...dialect, isScoped: true }, hasFunction(plan)),
    gathers,
    // One more than a list may hold, so that it is known to be too long.
    most: (isList && plan.first !== true) || gathers ? maxElements + 1 : 1,
  };
}

/** Whether filters join a list that none of them has made. */
function joinsFirst(filters: readonly FilterPlan[]): boolean {
  const names = filters.map(filterName);
  const made = names.findIndex((name) => name === 'split' || name === 'json');
  return (made < 0 ? names : names.slice(0, made)).includes('join');
}

function compileBranch({ place, from }: BranchPlan, dialect: Dialect): Find {
  const find = compilePlace(place, dialect);
  if (from === undefined) return find;
  const goFrom = compileFrom(from, dialect.isXml);
  return (match, page, most) => {
    const origin = goFrom(match, page);
    return origin === undefined ? [] : find(origin, page, most);
  };
}

function hasFunction({ branches, filters }: RulePlan): boolean {
  const given = branches.flatMap(({ take, filters: own }) => [take, ...own]);
  return [...given, ...filters].some((each) => typeof each === 'function');
}

function compileValue(rule: ValueRule, dialect: Dialect, isOpen: boolean): CompiledValue {
  if (rule.type === 'array') return { type: 'array', of: compileValue(rule.of, dialect, isOpen), length: rule.length };
  if (rule.type !== 'object') return { type: 'scalar', rule, isOpen: isOpen && rule.type === 'text' };
  return {
    type: 'object',
    fields: rule.fields.map((field) => compileRule(field, dialect)),
    result: rule.result,
  };
}

function compileNamed(plan: FilterPlan): NamedFilter {
  return { name: filterName(plan), run: compileFilter(plan) };
}
