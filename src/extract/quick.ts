import { documentKind } from './document/all.ts';
import { filterKind, type FilterPlan } from './filter/all.ts';
import type { BranchPlan, PlacePlan, RulePlan } from './rule/plan.ts';
import type { ExtractPlan } from './plan.ts';

/** The costs of plans, which are never changed. */
const known = new WeakMap<ExtractPlan, number>();

/**
 * Estimates the cost of a plan: the number of searches, if none takes more time than the number of a page's parts squared. Returns
 * `Infinity` if a page can make one take longer. XPaths, pseudo-classes, later siblings, descents and filters of JSON paths can, as
 * can records or objects that are searched within each of many matches in markup. Regular expressions and the browser's tree count
 * as slow too.
 */
export function quickPlaces(plan: ExtractPlan): number {
  const found = known.get(plan) ?? placesOf(plan);
  known.set(plan, found);
  return found;
}

function placesOf(plan: ExtractPlan): number {
  if (!isQuick(plan)) return Infinity;
  const { records, next, links } = plan;
  const rules = [...records.flatMap(({ fields }) => fields), ...(next === undefined ? [] : [next])];
  return rules.reduce((sum, rule) => sum + weightOf(rule), links === undefined ? 0 : 1);
}

/** A list reads each of its matches. A selector searches once more for each of its descendant combinators. */
function weightOf({ branches, rule }: RulePlan): number {
  const each = rule.type === 'array' ? 4 : 1;
  return branches.reduce((sum, { place }) => sum + each * (place.by === 'css' ? place.css.split(/\s+/).length : 1), 0);
}

function isQuick({ document, tree, records, next, links }: ExtractPlan): boolean {
  const { view } = documentKind(document);
  if (view === 'html' && tree !== 'fast') return false;
  const isMarkup = view !== 'json';
  const { within = [] } = typeof links === 'object' ? links : {};
  return (
    records.every(
      ({ each, fields }) =>
        (each === undefined || (!isMarkup && isQuickPlace(each))) && fields.every((field) => isQuickRule(field)),
    ) &&
    (next === undefined || isQuickRule(next)) &&
    within.every((css) => isQuickPlace({ by: 'css', css }))
  );
}

function isQuickRule({ branches, filters, rule }: RulePlan): boolean {
  const of = rule.type === 'array' ? rule.of : rule;
  return (
    of.type !== 'object' &&
    of.type !== 'array' &&
    branches.length <= 2 &&
    branches.every(isQuickBranch) &&
    filters.every(isQuickFilter)
  );
}

/** The ways to take a value that write out all the markup within each match. */
const slowTakes: ReadonlySet<BranchPlan['take']> = new Set(['html', 'outer'] as const);

function isQuickBranch({ place, take, filters }: BranchPlan): boolean {
  return !slowTakes.has(take) && typeof take !== 'function' && isQuickPlace(place) && filters.every(isQuickFilter);
}

function isQuickPlace(place: PlacePlan): boolean {
  switch (place.by) {
    case 'css':
      return !/[:~]/.test(place.css);
    case 'json':
      return place.in === undefined && !/\.\.|\?/.test(place.path);
    case 'xpath':
      return false;
    case 'meta':
    case 'const':
    case 'here':
      return true;
    default:
      return place satisfies never;
  }
}

function isQuickFilter(filter: FilterPlan): boolean {
  return typeof filter !== 'function' && filterKind(filter).isSlow !== true;
}
