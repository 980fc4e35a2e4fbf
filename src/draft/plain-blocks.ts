import { type Document, type Element, isTag, isText } from 'domhandler';
import { findFirst } from '../extract/tree/nodes.ts';
import { collapsedText } from '../extract/tree/text.ts';
import {
  ancestor,
  besides,
  type Block,
  blocksOf,
  type Found,
  goodClasses,
  nameOf,
  ofBlock,
  recordOf,
  isPlain,
} from './blocks.ts';
import { type DraftRecord, guessedType } from './record.ts';

/** The part of the text of a page that its list has, at least: a few points in an article are no list of things. */
const leastShare = 0.5;

/** Elements from the body to a list, at most, where none has a class or an id. */
const maxPath = 6;

const wholes: ReadonlySet<string> = new Set(['li', 'dd', 'article', 'section', 'div']);
/** Elements that may be things on the list though they hold nothing but text. */
const items: ReadonlySet<string> = new Set(['li', 'dd']);

/**
 * Drafts the record of elements that stand beside each other, are built alike and have most of the page's text, where neither links nor headings, prices or
 * classes tell of records. Undefined if there are none, or nothing tells them apart.
 */
export function plainBlockRecord(root: Document, base: string): DraftRecord | undefined {
  const body = findFirst(root, ({ name }) => name === 'body') ?? root;
  const whole = body.children.filter(isTag).reduce((sum, each) => sum + collapsedText(each).trim().length, 0);
  const blocks = candidates(root)
    .map((block) => ({
      block,
      length: block.members.reduce((sum, each) => sum + collapsedText(each).trim().length, 0),
    }))
    .filter(({ length }) => length >= leastShare * whole)
    .toSorted((a, b) => b.block.members.length - a.block.members.length);
  for (const { block } of blocks) {
    const record = recordOf(byOwnClass(block, root), [...ofBlock(block, base), ...ofParts(block, base)]);
    if (record !== undefined) return record;
  }
  return undefined;
}

function candidates(root: Document): Block[] {
  return blocksOf(root, (element) => {
    const css = wholes.has(element.name) ? pathOf(element) : undefined;
    return css === undefined || ancestor(element, ({ name }) => besides.has(name)) !== undefined ? [] : [css];
  }).filter(isAlike);
}

/** The block of the same elements by a class that they alone have; the block as it is where there is no such class. */
function byOwnClass(block: Block, root: Document): Block {
  const named = blocksOf(root, (element) => goodClasses(element).map((name) => `${element.name}.${name}`));
  return (
    named.find(
      ({ members }) =>
        members.length === block.members.length && members.every((each, at) => each === block.members[at]),
    ) ?? block
  );
}

/** Whether all members of a block have the same elements, or those of a list no elements. */
function isAlike({ members }: Block): boolean {
  const [first] = members;
  if (first === undefined) return false;
  const shape = shapeOf(first);
  const isListed = shape !== '' || items.has(first.name);
  return isListed && members.every((each) => shapeOf(each) === shape && collapsedText(each).trim() !== '');
}

function shapeOf({ children }: Element): string {
  return children
    .filter(isTag)
    .map(({ name }) => name)
    .join(' ');
}

/** The way to an element from the nearest one with a class or an id, or from the body; undefined where that is far. */
function pathOf(element: Element): string | undefined {
  const names = [element.name];
  for (let node = element.parent; names.length < maxPath; node = node.parent) {
    if (node === null || !isTag(node)) return names.join(' > ');
    const named = nameOf(node);
    if (named === undefined && !isPlain(node.name)) return undefined;
    names.unshift(named ?? node.name);
    if (named !== undefined || node.name === 'body') return names.join(' > ');
  }
  return undefined;
}

/** Names of parts that nothing names. */
const letters = 'abcdefghijklmnop';

/** The elements of each member by their places, and the text of the member where it has some of its own. */
function ofParts({ members }: Block, base: string): Found[] {
  const [first] = members;
  if (first === undefined) return [];
  const counts = new Map<string, number>();
  const parts = first.children
    .filter(isTag)
    .filter(({ name }) => isPlain(name))
    .slice(0, letters.length)
    .map((child, at): Found => {
      const place = (counts.get(child.name) ?? 0) + 1;
      counts.set(child.name, place);
      const samples = members.map((member) => textAt(member, child.name, place));
      const name = `part_${letters[at] ?? 'z'}`;
      const css = `${child.name}:nth-of-type(${place})`;
      return { name, field: { css, ...guessedType(name, samples, base) }, samples };
    });
  const hasOwnText = first.children.some((child) => isText(child) && child.data.trim() !== '');
  const samples = members.map((member) => collapsedText(member).trim());
  return [...parts, ...(hasOwnText ? [{ name: 'text', field: { take: 'text' }, samples }] : [])];
}

/** The text of the first element within a member that is the one at a place among those of its name beside it. */
function textAt(member: Element, name: string, place: number): string | null {
  const isThere = (element: Element): boolean =>
    element !== member && element.name === name && placeOf(element) === place;
  const found = findFirst(member, isThere);
  return found === undefined ? null : collapsedText(found).trim();
}

function placeOf(element: Element): number {
  let place = 1;
  for (let node = element.prev; node !== null; node = node.prev)
    if (isTag(node) && node.name === element.name) place += 1;
  return place;
}
