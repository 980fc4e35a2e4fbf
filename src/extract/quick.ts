import type { FilterPlan } from './filter/plan.ts';
import type { BranchPlan, ExtractPlan, PlacePlan, RulePlan } from './plan.ts';

/** Plans are never changed. */
const known = new WeakMap<ExtractPlan, number>();

/**
 * How many places a plan looks for, each of which takes no more time than the parts of a page squared; `Infinity` where a page
 * can make it take more than that. XPath, pseudo-classes, later siblings, descents and filters of JSON paths do, and in markup
 * whatever is searched in each of many matches. A pattern's time grows with the pattern as well, and the browser's tree is slow.
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

/** A list reads each of its matches, and a selector looks once more for each step that leads through any number of elements. */
function weightOf({ branches, rule }: RulePlan): number {
  const each = rule.type === 'array' ? 4 : 1;
  return branches.reduce((sum, { place }) => sum + each * (place.by === 'css' ? place.css.split(/\s+/).length : 1), 0);
}

function isQuick({ document, tree, records, next, links }: ExtractPlan): boolean {
  if (document === 'html' && tree !== 'fast') return false;
  const isMarkup = document === 'html' || document === 'xml';
  const { places = [], within = [] } = typeof links === 'object' ? links : {};
  return (
    records.every(
      ({ each, fields }) =>
        (each === undefined || (!isMarkup && isQuickPlace(each))) && fields.every((field) => isQuickRule(field)),
    ) &&
    (next === undefined || isQuickRule(next)) &&
    places.every(isQuickBranch) &&
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

/** Markup is written anew, for each match all that it holds. */
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
  return typeof filter !== 'function' && filter.type !== 'regex' && filter.type !== 'replace' && filter.type !== 'json';
}
