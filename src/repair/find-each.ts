import type { Element } from 'domhandler';
import { compilePlace } from '../extract/rule/place.ts';
import { spend } from '../work-budget.ts';
import { parentOf } from './elements.ts';
import type { OpenedPage } from './opened-page.ts';
import { namingParts } from './selector-parts.ts';

/** Items that selectors are made from, and selectors that are tried. */
const [sampled, tried] = [12, 60];

/** The share of the known records that a selector must find. */
const leastFound = 0.95;

/** Records that are found on a page. */
interface Holders {
  readonly page: OpenedPage;
  readonly elements: readonly Element[];
}

/** Finds the best of the selectors that match the known records of some pages and little else. */
export function findEach(pages: readonly Holders[], isXml: boolean): string | undefined {
  const elements = pages.flatMap(({ elements: some }) => some);
  const votes = new Map<string, { cost: number; votes: number }>();
  for (const element of elements.slice(0, sampled))
    for (const [css, cost] of new Map(eachSelectors(element, isXml))) {
      const known = votes.get(css);
      votes.set(css, { cost: Math.min(cost, known?.cost ?? Infinity), votes: (known?.votes ?? 0) + 1 });
    }
  const sample = Math.min(sampled, elements.length);
  const [best] = [...votes]
    .filter(([, { votes: given }]) => given >= leastFound * sample)
    .toSorted(([, one], [, other]) => one.cost - other.cost)
    .slice(0, tried)
    .map(([css, { cost }]) => ({ css, cost: costOn(pages, css, cost, isXml) }))
    .toSorted((one, other) => one.cost - other.cost);
  return best === undefined || best.cost === Infinity ? undefined : best.css;
}

/** Selectors for one item: by itself, and below an element around it. */
function* eachSelectors(element: Element, isXml: boolean): Generator<[css: string, cost: number]> {
  const own = namingParts(element, isXml);
  for (const { css, cost } of own) yield [css, cost];
  let above = parentOf(element);
  for (let up = 1; above !== undefined && up <= 2; up += 1) {
    for (const name of namingParts(above, isXml).slice(0, 4))
      for (const part of own)
        yield up === 1
          ? [`${name.css} > ${part.css}`, part.cost + 0.4 * name.cost + 0.2]
          : [`${name.css} ${part.css}`, part.cost + 0.4 * name.cost + 0.4];
    above = parentOf(above);
  }
}

/** What a selector costs by what it matches on the pages; infinite for one that is none of the records. */
function costOn(pages: readonly Holders[], css: string, cost: number, isXml: boolean): number {
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
  // New records may be among the others; what is beside the list as well is no selector of it.
  if (hits < leastFound * known || others > known) return Infinity;
  return cost + (4 * others) / known + css.length / 100;
}
