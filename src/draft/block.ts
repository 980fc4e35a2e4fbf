import { type Document, type Element, isTag } from 'domhandler';
import { attributeOf, elementsIn } from '../extract/document/node.ts';
import { collapsedText } from '../extract/rule/text.ts';

/** Elements of one page that look alike, and the selector that finds them. */
export interface Block {
  readonly css: string;
  readonly members: readonly Element[];
}

/** Elements that are looked at. */
const maxElements = 50_000;

/** How far up is looked. */
const maxAbove = 100;

/** Fewer are no list; of more the first are enough to judge by. */
const fewest = 3;
const sampled = 30;

const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template', 'head', 'noscript', 'svg', 'option', 'br']);
const besides: ReadonlySet<string> = new Set(['nav', 'header', 'footer', 'aside', 'form', 'select']);

/** The repeated elements of a page that look most like records: with links, headings, prices and pictures of their own. */
export function bestBlock(root: Document): Block | undefined {
  const blocks = candidates(root)
    .map((block) => ({ block, score: scoreOf(block) }))
    .filter(({ score }) => score > 0);
  const [best] = blocks.toSorted((a, b) => b.score - a.score);
  return best?.block;
}

function candidates(root: Document): Block[] {
  const groups = new Map<string, Element[]>();
  let left = maxElements;
  for (const element of elementsIn(root)) {
    left -= 1;
    if (left < 0) break;
    if (unseen.has(element.name)) continue;
    for (const css of selectorsOf(element)) {
      const group = groups.get(css);
      if (group === undefined) groups.set(css, [element]);
      else group.push(element);
    }
  }
  return Array.from(groups, ([css, members]): Block => ({ css, members })).filter(
    ({ members }) => members.length >= fewest && !holdEachOther(members),
  );
}

/** By what elements like this one may be found: by one of their classes, or by their tag under what has a class or an id. */
function selectorsOf(element: Element): string[] {
  const named = goodClasses(element).map((name) => `${element.name}.${name}`);
  if (element.name === 'tr') {
    const table = ancestor(element, ({ name }) => name === 'table');
    const above = table && nameOf(table);
    const isRow = element.children.some((child) => isTag(child) && child.name === 'td');
    return isRow ? [...named, `${above ?? 'table'} tr:has(td)`] : [];
  }
  if (!['li', 'article', 'div', 'section', 'dd'].includes(element.name)) return named;
  const parent = element.parent !== null && isTag(element.parent) ? nameOf(element.parent) : undefined;
  return [...named, ...(parent === undefined ? [] : [`${parent} > ${element.name}`])];
}

function nameOf(element: Element): string | undefined {
  const [first] = goodClasses(element);
  if (first !== undefined) return `${element.name}.${first}`;
  const id = attributeOf(element, 'id');
  return id !== undefined && isPlain(id) ? `${element.name}#${id}` : undefined;
}

/** Classes that a person gave: those that tools make of styles or of chance change with every release. */
export function goodClasses(element: Element): string[] {
  const words = (attributeOf(element, 'class') ?? '').split(/\s+/);
  return words
    .filter((word) => isPlain(word) && !/\d{3}|^(?:css|sc|jsx|col|row|mt|mb|p|m|w|h)-/.test(word))
    .slice(0, 8);
}

function isPlain(word: string): boolean {
  return /^[A-Za-z][\w-]{0,60}$/.test(word);
}

function ancestor(element: Element, isWanted: (element: Element) => boolean): Element | undefined {
  let left = maxAbove;
  for (let node = element.parent; node !== null && left > 0; node = node.parent, left -= 1)
    if (isTag(node) && isWanted(node)) return node;
  return undefined;
}

function holdEachOther(members: readonly Element[]): boolean {
  const all = new Set(members);
  return members.slice(0, sampled).some((member) => ancestor(member, (above) => all.has(above)) !== undefined);
}

const priceForm = /(?:[$€£¥₹]|\b[A-Z]{3}\b)\s?\d|\d\s?(?:[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|kr)\b)/;

function scoreOf({ members }: Block): number {
  const some = members.slice(0, sampled);
  const texts = some.map((member) => collapsedText(member).trim());
  const length = texts.reduce((sum, text) => sum + text.length, 0) / some.length;
  if (length < 4 || length > 4_000 || new Set(texts).size < some.length / 2) return 0;
  const share = (has: (member: Element, text: string) => boolean): number =>
    some.filter((member, index) => has(member, texts[index] ?? '')).length / some.length;
  const links =
    new Set(some.map((member) => firstHref(member)).filter((href) => href !== undefined)).size / some.length;
  const cells = share((member) => member.children.filter((child) => isTag(child) && child.name === 'td').length > 1);
  const signs =
    2 * links +
    1.5 * share((member) => holds(member, /^h[1-6]$/)) +
    1.5 * share((_, text) => priceForm.test(text)) +
    share((member) => holds(member, /^(?:img|time)$/)) +
    1.5 * cells;
  if (signs < 1.5) return 0;
  const isBeside = share((member) => ancestor(member, ({ name }) => besides.has(name)) !== undefined) > 0.5;
  return isBeside ? 0 : Math.sqrt(Math.min(members.length, 100)) * signs;
}

export function firstHref(member: Element): string | undefined {
  for (const element of elementsIn(member)) {
    const href = element.name === 'a' ? attributeOf(element, 'href') : undefined;
    if (href !== undefined && !/^(?:#|javascript:|mailto:|tel:)/i.test(href)) return href;
  }
  return undefined;
}

function holds(member: Element, name: RegExp): boolean {
  for (const element of elementsIn(member)) if (name.test(element.name)) return true;
  return false;
}
