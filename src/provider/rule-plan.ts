import type { EachPlace, Place } from '../definition/place.ts';
import { partsOf, type Rule, type Typed } from '../definition/rule.ts';
import type { BranchPlan, FieldPlan, PlacePlan, RulePlan, TakePlan, ValueRule } from '../extract/plan.ts';

/** The rules of a definition, as extraction runs them. */
export function fieldPlans(fields: Readonly<Record<string, Rule>>): FieldPlan[] {
  return Object.entries(fields).map(([name, rule]): FieldPlan => ({
    name,
    required: rule.required,
    ...rulePlan(rule),
  }));
}

/** One rule of a definition, as extraction runs it. */
export function rulePlan(rule: Rule): RulePlan {
  const { place, typed } = partsOf(rule);
  const { any, filters = [], ...given } = place;
  // What is said beside the alternatives holds for each that says nothing of its own.
  const places = any?.map((each) => (isElement(each) && !isTaken(each) ? { ...given, ...each } : each)) ?? [given];
  return {
    branches: places.map((each) => branchPlan(each, usualTake(typed))),
    filters,
    ...(typed.type === 'array' && typed.first === true && { first: true }),
    ...(typed.type === 'boolean' && typed.whenFound !== undefined && { whenFound: typed.whenFound }),
    rule: valueRule(typed),
  };
}

function isElement({ css, xpath }: Place): boolean {
  return css !== undefined || xpath !== undefined;
}

function isTaken({ attr, take }: Place): boolean {
  return attr !== undefined || take !== undefined;
}

/** Where something stands; without a place it is the present one. */
export function placePlan(place: Place | EachPlace): PlacePlan {
  const { css, xpath, json } = place;
  if (css !== undefined) return { by: 'css', css };
  if (xpath !== undefined) return { by: 'xpath', xpath };
  if (json !== undefined) return { by: 'json', path: json, ...(place.in !== undefined && { in: place.in }) };
  if ('meta' in place && place.meta !== undefined) return { by: 'meta', name: place.meta };
  return 'const' in place && place.const !== undefined ? { by: 'const', value: place.const } : { by: 'here' };
}

/** One of the places that a rule may find its value at; `usual` is taken where it does not say. */
export function branchPlan(place: Place, usual: TakePlan): BranchPlan {
  const { attr, take = usual, trim = true, filters = [] } = place;
  return { place: placePlan(place), ...(attr !== undefined && { attr }), take, trim, filters };
}

/** JSON is read as it is written, and an URL is what an element links to. */
function usualTake(typed: Typed): TakePlan {
  let element: Typed = typed;
  while (element.type === 'array') element = element.of;
  if (element.type === 'json') return 'raw';
  return element.type === 'url' ? 'link' : 'text';
}

function valueRule(typed: Typed): ValueRule {
  if (typed.type === 'array') return { type: 'array', of: valueRule(typed.of) };
  if (typed.type === 'object') {
    const { fields, result } = typed;
    return { type: 'object', fields: fieldPlans(fields), ...(result !== undefined && { result }) };
  }
  if (typed.type !== 'boolean') return typed;
  const { whenFound: _whenFound, ...rule } = typed;
  return rule;
}
