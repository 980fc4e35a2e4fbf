import type { EachPlace, Place } from '../definition/place.ts';
import { keyFields } from '../definition/record-key.ts';
import { partsOf, type Rule, type Typed } from '../definition/rule.ts';
import type {
  BranchPlan,
  FieldPlan,
  PlacePlan,
  RecordPlan,
  RulePlan,
  TakePlan,
  ValueRule,
} from '../extract/rule/plan.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { fieldTypes, type ScalarRule } from '../extract/value/all.ts';
import type { FieldType } from '../extract/value/field-type.ts';
import { defined } from '../defined.ts';
import { definitionVersion, type Source } from '../definition/source.ts';
import { documentKind } from '../extract/document/all.ts';

/** The parts that all plans of a source share. */
export function documentOf(
  source: Pick<Source, 'provider' | 'tree' | 'csv' | 'encoding' | 'ignore'>,
): Pick<ExtractPlan, 'document' | 'tree' | 'csv' | 'encoding' | 'ignore'> {
  return {
    document: source.provider,
    tree: source.tree,
    ...defined({ csv: source.csv, encoding: source.encoding, ignore: source.ignore }),
  };
}

/** The plan of a source's pages. */
export function planOf(source: Source): ExtractPlan {
  const { record: own } = documentKind(source.provider);
  const records = Object.entries(source.records).map(([type, { key, on, each, page, fields, nulls }]): RecordPlan => {
    const parts = defined({
      on,
      each: eachPlan(source, each),
      page: page && { name: 'page.url', required: false, ...rulePlan(page.url) },
    });
    return { type, key: keyFields(key), ...parts, fields: fieldPlans(fields), nulls };
  });
  return {
    id: `${definitionVersion(source)}/page`,
    ...documentOf(source),
    records: own !== undefined && records.length === 0 ? [own] : records,
  };
}

/** The place of records: that of the definition, else the usual one of the kind of document. */
function eachPlan({ provider }: Source, each: EachPlace | undefined): PlacePlan | undefined {
  if (each !== undefined) return placePlan(each);
  return documentKind(provider).each;
}

/** The rules of a definition, as extraction runs them. */
export function fieldPlans(fields: Readonly<Record<string, Rule>>): FieldPlan[] {
  return Object.entries(fields).map(([name, rule]): FieldPlan => ({
    name,
    required: rule.required,
    ...rulePlan(rule),
  }));
}

/** Converts a rule of a definition to the plan that extraction runs. */
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

/** The plan of a place; a rule without a place means the present element. */
export function placePlan(place: Place | EachPlace): PlacePlan {
  const { css, xpath, json } = place;
  if (css !== undefined) return { by: 'css', css };
  if (xpath !== undefined) return { by: 'xpath', xpath };
  if (json !== undefined) return { by: 'json', path: json, ...defined({ in: place.in }) };
  if ('meta' in place && place.meta !== undefined) return { by: 'meta', name: place.meta };
  if ('page' in place && place.page !== undefined) return { by: 'page', what: place.page };
  return 'const' in place && place.const !== undefined ? { by: 'const', value: place.const } : { by: 'here' };
}

/** Converts one of a rule's places to its plan; `usual` is its default for `take`. */
function branchPlan(place: Place, usual: TakePlan): BranchPlan {
  const { attr, take = usual, trim = true, filters = [], from } = place;
  return { place: placePlan(place), ...defined({ attr, from }), take, trim, filters };
}

/** The default for `take`: that of the field's type, or of a list's innermost elements. */
function usualTake(typed: Typed): TakePlan {
  let element: Typed = typed;
  while (element.type === 'array') element = element.of;
  if (element.type === 'object') return 'text';
  const type: FieldType<ScalarRule> = fieldTypes[element.type];
  return type.take ?? 'text';
}

function valueRule(typed: Typed): ValueRule {
  if (typed.type === 'array') return { type: 'array', of: valueRule(typed.of), ...defined({ length: typed.length }) };
  if (typed.type === 'object') {
    const { fields, result } = typed;
    return { type: 'object', fields: fieldPlans(fields), ...defined({ result }) };
  }
  if (typed.type !== 'boolean') return typed;
  const { whenFound: _whenFound, ...rule } = typed;
  return rule;
}
