import type { Element } from 'domhandler';
import { attributeOf, namesIn } from '../extract/tree/nodes.ts';
import { labelOf } from './element-places.ts';
import { parentOf } from './elements.ts';

/** What is known of where a value stood before: how it was called, and what stood around it. */
export interface Look {
  readonly tag: string;
  readonly names: readonly string[];
  readonly above: readonly string[];
  readonly aboveTag: string;
  readonly label: string | undefined;
  readonly attr: string | undefined;
}

/** Looks at an element and at those around it. */
export function lookOf(element: Element, attr: string | undefined): Look {
  const parent = parentOf(element);
  return {
    tag: element.name,
    names: namesOf(element),
    above: parent === undefined ? [] : namesOf(parent),
    aboveTag: parent?.name ?? '',
    label: labelOf(element),
    attr,
  };
}

/** How much an element looks like another, from 0 to 1. */
export function affinity(one: Look, other: Look): number {
  const label = one.label !== undefined && one.label === other.label ? 0.2 : 0;
  return (
    (one.tag === other.tag ? 0.15 : 0) +
    0.4 * nameLikeness(one.names, other.names) +
    0.1 * nameLikeness(one.above, other.above) +
    (one.aboveTag === other.aboveTag ? 0.05 : 0) +
    (one.attr === other.attr ? 0.1 : 0) +
    label
  );
}

function namesOf(element: Element): string[] {
  return ['class', 'id', 'itemprop', 'name', 'property', 'data-testid'].flatMap((name) =>
    namesIn(attributeOf(element, name)),
  );
}

/** 1 for a name in common, less for names that begin alike or hold each other. */
function nameLikeness(one: readonly string[], other: readonly string[]): number {
  let best = 0;
  for (const a of one)
    for (const b of other) {
      if (a === b) return 1;
      const [short, long] = a.length < b.length ? [a, b] : [b, a];
      if (short.length >= 3 && long.includes(short)) best = Math.max(best, 0.8);
      else if (commonStart(a, b) >= 4) best = Math.max(best, 0.6);
    }
  return best;
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
