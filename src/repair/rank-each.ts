import { type Element, isTag } from 'domhandler';
import { compilePlace } from '../extract/rule/place.ts';
import { JsonSpot } from '../extract/rule/spot.ts';
import { spend } from '../work-budget.ts';
import type { RepairPlace } from '../view/repair.ts';
import type { FoundItems, ItemSet } from './find-items.ts';
import type { OpenedPage } from './opened-page.ts';
import { selectorParts } from './selector-parts.ts';

/** A selector of the records of a page. */
export interface RankedEach {
  readonly to: RepairPlace;
  readonly cost: number;
}

/** Items that selectors are made from, and selectors that are tried. */
const [sampled, tried] = [12, 60];

/** The share of the known records that a selector must find. */
const leastFound = 0.95;

/** Records that are found on a page. */
interface Holders {
  readonly page: OpenedPage;
  readonly elements: readonly Element[];
}

/** Finds selectors that match the known records of a page and little else, the best first. */
export function rankEach(page: OpenedPage, { items, json }: ItemSet, isXml: boolean): RankedEach[] {
  if (json !== undefined) return [{ to: { json }, cost: 1 }];
  return rankSelectors([{ page, elements: elementsOf(items) }], isXml);
}

/** Finds selectors that match the known records of several pages and little else, the best first. */
export function rankSelectors(pages: readonly Holders[], isXml: boolean): RankedEach[] {
  const elements = pages.flatMap(({ elements: some }) => some);
  const votes = new Map<string, { cost: number; votes: number }>();
  for (const element of elements.slice(0, sampled))
    for (const [css, cost] of new Map(eachSelectors(element, isXml))) {
      const known = votes.get(css);
      votes.set(css, { cost: Math.min(cost, known?.cost ?? Infinity), votes: (known?.votes ?? 0) + 1 });
    }
  const sample = Math.min(sampled, elements.length);
  return [...votes]
    .filter(([, { votes: given }]) => given >= leastFound * sample)
    .toSorted(([, one], [, other]) => one.cost - other.cost)
    .slice(0, tried)
    .flatMap(([css, { cost }]) => trySelector(pages, css, cost, isXml) ?? [])
    .toSorted((one, other) => one.cost - other.cost);
}

function elementsOf(items: FoundItems): Element[] {
  return [...items.values()].filter((spot): spot is Element => !(spot instanceof JsonSpot));
}

/** Selectors for one item: by itself, and below an element around it. */
function* eachSelectors(element: Element, isXml: boolean): Generator<[css: string, cost: number]> {
  const own = selectorParts(element, isXml).filter(({ counts }) => counts !== true);
  for (const { css, cost } of own) yield [css, cost];
  let above = element.parent;
  for (let up = 1; above !== null && isTag(above) && up <= 2; up += 1) {
    const names = selectorParts(above, isXml).filter(({ counts }) => counts !== true);
    for (const name of names.slice(0, 4))
      for (const part of own)
        yield up === 1
          ? [`${name.css} > ${part.css}`, part.cost + 0.4 * name.cost + 0.2]
          : [`${name.css} ${part.css}`, part.cost + 0.4 * name.cost + 0.4];
    above = above.parent;
  }
}

function trySelector(pages: readonly Holders[], css: string, cost: number, isXml: boolean): RankedEach | undefined {
  const find = compilePlace({ by: 'css', css }, { isXml, isScoped: false });
  let [known, hits, others] = [0, 0, 0];
  for (const { page, elements } of pages) {
    spend(1_000);
    const all = new Set(find(page.root, page.context, 10_000));
    const own = elements.filter((element) => all.has(element)).length;
    known += elements.length;
    hits += own;
    others += all.size - own;
  }
  if (hits < leastFound * known) return undefined;
  // New records may be among the others; what is beside the list as well is no selector of it.
  if (others > known) return undefined;
  return { to: { css }, cost: cost + (4 * others) / known + css.length / 100 };
}
