import { type Element, isTag } from 'domhandler';
import type { CompiledRecord } from '../extract/compile.ts';
import { spotsOf } from '../extract/record.ts';
import { compileRule } from '../extract/rule/compile.ts';
import { evaluate } from '../extract/rule/evaluate.ts';
import type { FieldPlan } from '../extract/rule/plan.ts';
import { JsonSpot, type PageContext, type Spot } from '../extract/rule/spot.ts';
import { collapsedText } from '../extract/tree/text.ts';
import { type CandidatePlace, elementPlaces } from '../repair/element-places.ts';
import { jsonCandidate, type JsonPlace } from '../repair/json-places.ts';
import { repairedField } from '../repair/place-plan.ts';
import type { PickedPlace, PickedRule } from '../view/drawn-page.ts';

/** Rules that are proposed for the text of an element, for each of its attributes, and attributes that are looked at. */
const [rulesOfText, rulesOfAttribute, mostAttributes] = [6, 2, 5];

/** Records of a type in which a rule is tried, and matches that are counted. */
const [mostRecords, mostMatches] = [200, 1_000];

/** The longest text that is told, in characters. */
const toldUnits = 300;

/** A field of a text, whose place is still to be chosen. */
const textField: FieldPlan = {
  name: 'picked',
  required: false,
  branches: [{ place: { by: 'here' }, take: 'text', trim: true, filters: [] }],
  filters: [],
  rule: { type: 'text' },
};

/** A page whose records are compiled. */
export interface PickPage {
  readonly root: Spot;
  readonly page: PageContext;
  readonly records: readonly CompiledRecord[];
  readonly isXml: boolean;
}

/** Proposes rules for an element: for its text and for its attributes, in each record that holds it. */
export function pickElement(element: Element, opened: PickPage): PickedPlace {
  const { isXml } = opened;
  const attributes = Object.keys(element.attribs)
    .filter((name) => !/^(?:class|id|style|on.*)$/i.test(name))
    .slice(0, mostAttributes);
  const rules = holders(element, opened).flatMap((holder) => [
    ...tried(elementPlaces(element, holder.item, { attr: undefined, isXml }), holder, opened, {
      element,
      most: rulesOfText,
    }),
    ...attributes.flatMap((attr) =>
      tried(elementPlaces(element, holder.item, { attr, isXml }), holder, opened, { element, most: rulesOfAttribute }),
    ),
  ]);
  const { name, attribs } = element;
  const classes = (attribs['class'] ?? '').split(/\s+/).filter((each) => /^[\w-]{1,40}$/.test(each));
  return {
    name: [name.slice(0, 60), ...classes.slice(0, 3)].join('.'),
    text: collapsedText(element).trim().slice(0, toldUnits),
    rules,
    isOutside: rules.length === 0 && opened.records.length > 0,
  };
}

/** Proposes rules for a value of a JSON document. */
export function pickValue(place: JsonPlace, opened: PickPage): PickedPlace {
  const text = typeof place.value === 'string' ? place.value : JSON.stringify(place.value);
  const rules = opened.records.flatMap((record) =>
    spotsOf(opened.root, record, opened.page)
      .slice(0, mostRecords)
      .flatMap((item, _, items) => {
        const within = item instanceof JsonSpot ? pathWithin(item, place, opened) : undefined;
        if (within === undefined) return [];
        return tried(jsonCandidate({ ...place, path: within }, { base: 1 }), { record, item, items }, opened, {
          most: rulesOfText,
        });
      }),
  );
  return {
    name: place.path.join('.').slice(0, 200),
    text: text.slice(0, toldUnits),
    rules,
    isOutside: rules.length === 0 && opened.records.length > 0,
  };
}

/** The way from a record to a value, where the record holds it. */
function pathWithin(item: JsonSpot, { path }: JsonPlace, { root }: PickPage): JsonPlace['path'] | undefined {
  if (!(root instanceof JsonSpot)) return undefined;
  let value = root.value;
  for (let from = 0; from <= path.length; from += 1) {
    if (value === item.value && typeof value === 'object') return path.slice(from);
    const part = path[from];
    if (part === undefined || typeof value !== 'object' || value === null) return undefined;
    const next = Object.entries(value).find(([name]) => name === String(part))?.[1];
    if (next === undefined) return undefined;
    value = next;
  }
  return undefined;
}

/** A record that holds the place that was chosen, among all of its type. */
interface Holder {
  readonly record: CompiledRecord;
  readonly item: Spot;
  readonly items: readonly Spot[];
}

function holders(element: Element, { root, page, records }: PickPage): Holder[] {
  const above = new Set<unknown>([root]);
  for (let node: Element['parent'] = element; node !== null; node = node.parent) above.add(node);
  return records.flatMap((record) => {
    const items = spotsOf(root, record, page).slice(0, mostRecords);
    const item = items.find((spot) => above.has(spot));
    return item === undefined ? [] : [{ record, item, items }];
  });
}

/** The first of these places that lead to the element, with what they give in all records of the type. */
function tried(
  candidates: readonly CandidatePlace[],
  { record, item, items }: Holder,
  { page, isXml }: PickPage,
  { element, most }: { readonly element?: Element; readonly most: number },
): PickedRule[] {
  const rules: PickedRule[] = [];
  const seen = new Set<string>();
  for (const { to } of candidates.toSorted((one, other) => one.cost - other.cost)) {
    if (rules.length === most) break;
    const named = JSON.stringify(to);
    if (seen.has(named)) continue;
    seen.add(named);
    const rule = compileRule(repairedField(textField, to), { isXml, isScoped: false });
    const [branch] = rule.branches;
    const matches = branch?.find(item, page, mostMatches) ?? [];
    const [first] = matches;
    if (first === undefined || (element !== undefined && first !== element && !isWithin(element, first))) continue;
    const { value } = evaluate(rule, item, page);
    if (value === undefined || value === null) continue;
    const found = items.filter((each) => (branch?.find(each, page, 1) ?? []).length > 0).length;
    const told = typeof value === 'string' ? value : JSON.stringify(value);
    rules.push({
      record: record.plan.type,
      to,
      value: told.slice(0, toldUnits),
      matches: matches.length,
      found,
      of: items.length,
    });
  }
  return rules;
}

/** Whether a cell that a rule finds by its heading is the one in which the element stands. */
function isWithin(element: Element, cell: Spot): boolean {
  if (cell instanceof JsonSpot || !isTag(cell) || !/^(?:td|th)$/.test(cell.name)) return false;
  for (let node: Element['parent'] = element; node !== null; node = node.parent) if (node === cell) return true;
  return false;
}
