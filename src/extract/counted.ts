import { documentKind } from './document/all.ts';
import type { FilterPlan } from './filter/all.ts';
import type { PlacePlan, RulePlan } from './rule/plan.ts';
import type { ExtractPlan } from './plan.ts';

/** What is known of plans, which are never changed. */
const known = new WeakMap<ExtractPlan, boolean>();

/**
 * Whether all the work of reading by a plan is counted where it is done, so that a `WorkBudget` bounds it. That of JSON within markup,
 * of filters of JSON paths, of the browser's tree and of functions is not, nor that
 * of dates in the words of a locale.
 */
export function isCounted(plan: ExtractPlan): boolean {
  const isKnown = known.get(plan) ?? isPlanCounted(plan);
  known.set(plan, isKnown);
  return isKnown;
}

function isPlanCounted({ document, tree, records, next, form }: ExtractPlan): boolean {
  if (documentKind(document).view === 'html' && tree !== 'fast') return false;
  return (
    records.every(({ each, fields }) => (each === undefined || isPlaceCounted(each)) && fields.every(isRuleCounted)) &&
    (next === undefined || isRuleCounted(next)) &&
    (form === undefined || form.values.every(isRuleCounted))
  );
}

function isRuleCounted({ branches, filters, rule }: RulePlan): boolean {
  const of = rule.type === 'array' ? rule.of : rule;
  return (
    of.type !== 'array' &&
    !readsPhrases(of) &&
    (of.type !== 'object' || of.fields.every(isRuleCounted)) &&
    filters.every(isFilterCounted) &&
    branches.every(
      ({ place, take, filters: own }) =>
        typeof take !== 'function' && isPlaceCounted(place) && own.every(isFilterCounted),
    )
  );
}

function isPlaceCounted(place: PlacePlan): boolean {
  switch (place.by) {
    case 'json':
      return place.in === undefined && !place.path.includes('?');
    case 'css':
    case 'xpath':
    case 'meta':
    case 'const':
    case 'page':
    case 'here':
      return true;
    default:
      return place satisfies never;
  }
}

/** Whether dates are read as people write them, by words that take long to be found for the first time. */
function readsPhrases(of: {
  readonly type: string;
  readonly locale?: string;
  readonly formats?: readonly string[];
}): boolean {
  return (of.type === 'date' || of.type === 'datetime') && of.locale !== undefined && of.formats === undefined;
}

function isFilterCounted(filter: FilterPlan): boolean {
  return typeof filter !== 'function' && filter.type !== 'json' && !readsPhrases(filter);
}
