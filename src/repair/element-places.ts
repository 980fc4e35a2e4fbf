import { type Element, isTag } from 'domhandler';
import { collapsedText } from '../extract/tree/text.ts';
import { attributeOf } from '../extract/tree/nodes.ts';
import type { Spot } from '../extract/rule/spot.ts';
import type { RepairPlace } from '../view/repair.ts';
import { parentOf } from './elements.ts';
import { isElement } from './opened-page.ts';
import { namingParts, selectorParts } from './selector-parts.ts';

/** A place that a rule may be given, and how soon it is likely to break. */
export interface CandidatePlace {
  readonly to: RepairPlace;
  readonly cost: number;
}

/** How far up from an element names are looked for, and how many names of each element count. */
const [mostAbove, namesAbove] = [4, 4];

/** Longest text of a label, in characters. */
const longestLabel = 40;

/** Places by which an element within an item may be found; without an attribute its text is taken. */
export function elementPlaces(
  element: Element,
  item: Spot,
  { attr, isXml }: { readonly attr: string | undefined; readonly isXml: boolean },
): CandidatePlace[] {
  const taken = attr === undefined ? {} : { attr };
  if (element === item) return [{ to: taken, cost: attr === undefined ? 2 : 1.2 + attributeCost(attr) }];
  const isPage = !isXml && !isElement(item);
  // On a page as a whole, the name of an element alone says little, but for those of which there is one.
  const own = selectorParts(element, isXml).map((part) =>
    isPage && /^[a-z][a-z\d-]*$/.test(part.css) && part.css !== 'h1' ? { ...part, cost: part.cost + 1.6 } : part,
  );
  const found: CandidatePlace[] = [];
  const add = (css: string, cost: number): void => {
    if (css.length <= 300)
      found.push({ to: { css, ...taken }, cost: cost + css.length / 100 + (attr === undefined ? 0 : 0.1) });
  };
  for (const { css, cost, counts } of own) if (counts !== true) add(css, cost);
  if (attr !== undefined) add(`[${attr}]`, attributeCost(attr) + (attr.startsWith('data-') ? 0 : 1));
  let above = parentOf(element);
  for (let up = 1; above !== undefined && up <= mostAbove; up += 1) {
    for (const name of namingParts(above, isXml).slice(0, namesAbove))
      for (const part of own) {
        if (up === 1) add(`${name.css} > ${part.css}`, part.cost + 0.4 * name.cost + 0.2);
        if (up > 1 && part.counts !== true) add(`${name.css} ${part.css}`, part.cost + 0.4 * name.cost + 0.3);
      }
    if (above === item) break;
    above = parentOf(above);
  }
  const chain = chainTo(element, item, isXml);
  if (chain !== undefined) add(chain, 6);
  if (!isXml && attr === undefined) found.push(...labelled(element, item), ...inColumn(element));
  return found;
}

/** What an attribute costs: one that is made for data lasts. */
function attributeCost(attr: string): number {
  if (attr.startsWith('data-')) return 1.5;
  return /^(?:content|datetime|value|href|src)$/.test(attr) ? 1.6 : 2.2;
}

/** The whole way from an item down to an element, step by step. */
function chainTo(element: Element, item: Spot, isXml: boolean): string | undefined {
  const steps: string[] = [];
  let node: Element | undefined = element;
  for (let up = 0; node !== undefined && up < 8; up += 1) {
    if (node === item) return [namingParts(node, isXml)[0]?.css ?? node.name, ...steps].join(' > ');
    steps.unshift(selectorParts(node, isXml).find(({ css }) => css.includes(':nth-of-type('))?.css ?? node.name);
    node = parentOf(node);
  }
  return undefined;
}

/** The text before an element that says what it is, such as the term of a description. */
export function labelOf(element: Element): string | undefined {
  for (let node = element.prev; node !== null; node = node.prev) {
    if (!isTag(node)) continue;
    const text = collapsedText(node).trim();
    return text.length <= longestLabel && /^\p{L}[\p{L}\s.:()/&-]*$/u.test(text) ? text : undefined;
  }
  return undefined;
}

/** Places behind a text that says what follows it. */
function labelled(element: Element, item: Spot): CandidatePlace[] {
  const label = labelOf(element);
  if (label === undefined || label.includes('"')) return [];
  const named = /^(?:dd|td)$/.test(element.name) ? (element.name === 'dd' ? 'dt' : 'th') : undefined;
  const start = isElement(item) ? './/' : '//';
  const places: CandidatePlace[] = [];
  const xpath = (name: string, follows: string, cost: number): void =>
    void places.push({
      to: { xpath: `${start}${name}[normalize-space()="${label}"]/following-sibling::${follows}[1]` },
      cost: cost + label.length / 100,
    });
  if (named !== undefined) xpath(named, element.name, 1.9);
  xpath('*', '*', 2.7);
  return places;
}

/** The column of a table that a cell stands in, by its heading. */
function inColumn(element: Element): CandidatePlace[] {
  let cell: Element | undefined = element;
  while (cell !== undefined && cell.name !== 'td' && cell.name !== 'th') cell = parentOf(cell);
  const row = cell && parentOf(cell);
  let table = row;
  while (table !== undefined && table.name !== 'table') table = parentOf(table);
  if (cell === undefined || row === undefined || table === undefined) return [];
  const heads = headingsOf(table);
  const at = elementChildren(row).indexOf(cell);
  const heading = heads[at];
  if (heading === undefined || heading === '') return [];
  const column = heading.slice(0, 200);
  const places: CandidatePlace[] = [{ to: { column }, cost: cell === element ? 1.4 : 1.8 }];
  if (cell === element) return places;
  for (const { css, cost } of namingParts(element, false)) places.push({ to: { column, css }, cost: 1 + cost });
  return places;
}

function headingsOf(table: Element): string[] {
  for (const node of elementChildren(table)) {
    const row = node.name === 'tr' ? node : elementChildren(node).find(({ name }) => name === 'tr');
    if (row === undefined) continue;
    const cells = elementChildren(row);
    // A cell that spans columns makes their numbers others.
    if (cells.some((each) => attributeOf(each, 'colspan') !== undefined)) return [];
    return cells.map((each) => collapsedText(each).replaceAll(/\s+/g, ' ').trim());
  }
  return [];
}

function elementChildren({ children }: Element): Element[] {
  return children.filter(isTag);
}
