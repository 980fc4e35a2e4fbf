import type { Element } from 'domhandler';
import type { RecordPlan } from '../extract/rule/plan.ts';
import { JsonSpot } from '../extract/rule/spot.ts';
import type { Value } from '../extract/value/value.ts';
import { spend } from '../work-budget.ts';
import { parentOf, shownElements } from './elements.ts';
import { identityOf, isTelling, singleFields } from './known-values.ts';
import type { OpenedPage } from './opened-page.ts';
import { ReadHere, TextLengths } from './read-here.ts';

/** The share of the known values that an element must hold, and their number at least. */
const [leastShare, leastValues] = [0.6, 2];

/** Fields whose values are looked for, and elements that are looked at. */
const [mostFields, mostElements] = [12, 20_000];

/**
 * Finds the record of a page of one record without its old rule: the smallest element that holds most of what was known of it. `undefined` where that is
 * no longer on the page, nor its key.
 */
export function findRecord(
  { root, context }: OpenedPage,
  record: RecordPlan,
  known: Readonly<Record<string, Value>>,
  isXml: boolean,
): Element | undefined {
  if (root instanceof JsonSpot) return undefined;
  const fields = singleFields(record)
    .filter(({ name }) => isTelling(known[name]))
    .slice(0, mostFields);
  const readers = fields.map((field) => ({
    name: field.name,
    identity: identityOf(known[field.name] ?? null),
    here: new ReadHere(field, isXml),
  }));
  const lengths = new TextLengths();
  const held = new Map<Element, Set<string>>();
  for (const element of shownElements(root, mostElements))
    for (const { name, identity, here } of readers)
      for (const { value } of here.of(element, context, lengths))
        if (identityOf(value) === identity) hold(held, element, name);
  const keys = fields.filter(({ name }) => record.key.includes(name));
  const holders = [...held].filter(
    ([, names]) =>
      names.size >= Math.max(leastValues, leastShare * fields.length) && keys.every(({ name }) => names.has(name)),
  );
  const most = Math.max(0, ...holders.map(([, names]) => names.size));
  return smallest(holders.flatMap(([element, names]) => (names.size === most ? [element] : [])));
}

/** Notes that an element and all around it hold the value of a field. */
function hold(held: Map<Element, Set<string>>, element: Element, name: string): void {
  for (let node: Element | undefined = element; node !== undefined; node = parentOf(node)) {
    spend(10);
    const names = held.get(node) ?? new Set();
    // Then all around it are known to hold it as well.
    if (names.has(name)) return;
    held.set(node, names.add(name));
  }
}

/** The first of some elements that no other of them is within. */
function smallest(elements: readonly Element[]): Element | undefined {
  const around = new Set<Element>();
  for (const element of elements)
    for (let node = parentOf(element); node !== undefined && !around.has(node); node = parentOf(node)) around.add(node);
  return elements.find((element) => !around.has(element));
}
