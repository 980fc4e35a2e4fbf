import type { Element } from 'domhandler';
import type { FieldPlan, RecordPlan } from '../extract/rule/plan.ts';
import { JsonSpot } from '../extract/rule/spot.ts';
import { isList, type Value } from '../extract/value/value.ts';
import { spend } from '../work-budget.ts';
import { parentOf, shownElements } from './elements.ts';
import { identityOf, isTelling, singleFields } from './known-values.ts';
import type { OpenedPage, ReadSpot } from './opened-page.ts';
import { jsonPathText, valuesWithin } from './json-places.ts';
import { ReadHere, TextLengths } from './read-here.ts';

/** The places of known records on a new page, by the number of the record on the last good one. */
export type FoundItems = ReadonlyMap<number, Element | JsonSpot>;

/** Items on a new page, with the JSON path to them where the page is JSON. */
export interface ItemSet {
  readonly items: FoundItems;
  readonly json?: string;
}

/** Of the known records, so many must be found again. */
const leastFound = 0.6;

/** Sets of items that are tried, and elements that are looked at. */
const [mostSets, mostElements] = [6, 50_000];

/** A place at which the telling value of a known record stands. */
interface Anchor {
  readonly known: number;
  readonly element: Element;
}

/**
 * Finds the elements or values of a new page that are the known records, without their old rule: by where the values stand that tell the
 * records apart. The likeliest set is first.
 */
export function findItems(
  page: OpenedPage,
  record: RecordPlan,
  before: readonly ReadSpot[],
  isXml: boolean,
): ItemSet[] {
  const sets: ItemSet[] = [];
  for (const field of tellingFields(record, before)) {
    const byValue = valuesOf(field.name, before);
    if (byValue.size < Math.max(2, leastFound * before.length)) continue;
    sets.push(
      ...(page.root instanceof JsonSpot
        ? jsonSets(page, page.root, field, byValue)
        : elementSets(page, field, byValue, isXml)),
    );
  }
  return sets.toSorted((one, other) => other.items.size - one.items.size).slice(0, mostSets);
}

/** Fields that tell records apart: those of the key, else all, the ones with most values first. */
function tellingFields(record: RecordPlan, before: readonly ReadSpot[]): FieldPlan[] {
  const rank = ({ name }: FieldPlan): number =>
    record.key.includes(name) ? before.length : valuesOf(name, before).size;
  return singleFields(record)
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(0, 4);
}

/** The records by the identity of a value that no other record has. */
function valuesOf(field: string, before: readonly ReadSpot[]): Map<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  for (const [at, { draft }] of before.entries()) {
    const value = draft?.fields[field];
    if (!isTelling(value)) continue;
    const identity = identityOf(value);
    if (found.has(identity)) twice.add(identity);
    found.set(identity, at);
  }
  for (const identity of twice) found.delete(identity);
  return found;
}

function elementSets(
  { root, context }: OpenedPage,
  field: FieldPlan,
  byValue: ReadonlyMap<string, number>,
  isXml: boolean,
): ItemSet[] {
  if (root instanceof JsonSpot) return [];
  const here = new ReadHere(field, isXml);
  const lengths = new TextLengths();
  const groups = new Map<string, Map<number, Anchor>>();
  for (const element of shownElements(root, mostElements))
    for (const { value, attr } of here.of(element, context, lengths)) {
      const known = byValue.get(identityOf(value));
      if (known === undefined) continue;
      const like = `${attr ?? ''}|${element.name}|${depthOf(element)}`;
      const group = groups.get(like) ?? new Map<number, Anchor>();
      if (!group.has(known)) group.set(known, { known, element });
      groups.set(like, group);
    }
  const least = Math.max(2, leastFound * byValue.size);
  return Array.from(groups.values(), (group) => [...group.values()])
    .filter((anchors) => anchors.length >= least)
    .flatMap((anchors) => {
      const items = itemsAround(anchors);
      return items.size >= least ? [{ items }] : [];
    });
}

/** The highest element around each anchor that holds no other one, all at one depth. */
function itemsAround(anchors: readonly Anchor[]): FoundItems {
  const counts = new Map<Element, number>();
  for (const { element } of anchors)
    for (let node: Element | undefined = element; node !== undefined; node = parentOf(node)) {
      spend(10);
      counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  const tops = anchors.map(({ known, element }) => {
    let top = element;
    for (let node = parentOf(element); node !== undefined && counts.get(node) === 1; node = parentOf(node)) top = node;
    return { known, element, depth: depthOf(top) };
  });
  const depths = Map.groupBy(tops, ({ depth }) => depth);
  const [usual] = [...depths].toSorted(([, one], [, other]) => other.length - one.length);
  const depth = usual?.[0] ?? 0;
  const items = new Map<number, Element>();
  for (const { known, element } of tops) {
    let node: Element | undefined = element;
    while (node !== undefined && depthOf(node) > depth) node = parentOf(node);
    if (node !== undefined && depthOf(node) === depth && counts.get(node) === 1) items.set(known, node);
  }
  return items;
}

function jsonSets(
  { context }: OpenedPage,
  root: JsonSpot,
  field: FieldPlan,
  byValue: ReadonlyMap<string, number>,
): ItemSet[] {
  const here = new ReadHere(field, false);
  const groups = new Map<string, Map<number, readonly (string | number)[]>>();
  for (const { value, path } of valuesWithin(root.value)) {
    const read = here.at(new JsonSpot(value), context);
    const known = read === undefined ? undefined : byValue.get(identityOf(read));
    if (known === undefined) continue;
    const like = jsonPathText(path.map((part) => (typeof part === 'number' ? '*' : part)));
    const group = groups.get(like) ?? new Map<number, readonly (string | number)[]>();
    if (!group.has(known)) group.set(known, path);
    groups.set(like, group);
  }
  const least = Math.max(2, leastFound * byValue.size);
  return [...groups.values()].filter((group) => group.size >= least).flatMap((group) => jsonItems(root.value, group));
}

/** The items of the outermost list whose elements hold one anchor each. */
function jsonItems(root: Value, group: ReadonlyMap<number, readonly (string | number)[]>): ItemSet[] {
  const [sample] = group.values();
  if (sample === undefined) return [];
  for (const [at, part] of sample.entries()) {
    if (typeof part !== 'number') continue;
    const ends = Array.from(group.values(), (path) => JSON.stringify(path.slice(0, at + 1)));
    if (new Set(ends).size !== group.size) continue;
    const items = new Map<number, JsonSpot>();
    for (const [known, path] of group) items.set(known, new JsonSpot(valueAt(root, path.slice(0, at + 1))));
    const each = sample.slice(0, at + 1).map((one) => (typeof one === 'number' ? '*' : one));
    return [{ items, json: jsonPathText(each) }];
  }
  return [];
}

function valueAt(root: Value, path: readonly (string | number)[]): Value {
  let value: Value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (isList(value) ? (typeof part === 'number' ? value[part] : undefined) : value[part]) ?? null;
  }
  return value;
}

function depthOf(element: Element): number {
  let depth = 0;
  for (let node = parentOf(element); node !== undefined; node = parentOf(node)) depth += 1;
  return depth;
}
