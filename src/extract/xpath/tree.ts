import {
  type AnyNode,
  type Element,
  hasChildren,
  isComment,
  isDirective,
  isDocument,
  isTag,
  isText,
  type ParentNode,
} from 'domhandler';
import { spend } from '../../work-budget.ts';
import { nextBeside, nextNode, textContent } from '../tree/nodes.ts';
import type { Axis, NodeTest } from './expression.ts';

/** An attribute as a node. Within one `Tree` there is one object for each. */
export interface Attribute {
  readonly type: 'attribute';
  readonly owner: Element;
  readonly name: string;
  readonly value: string;
}

/** The document node above an element that is searched as if it were the root of a document. */
export interface Top {
  readonly type: 'top';
  readonly only: ParentNode;
}

/** A node of XPath. */
export type XNode = AnyNode | Attribute | Top;

/** A part of a page as XPath sees it: nothing outside `root` is there. */
export interface Tree {
  readonly root: ParentNode;
  readonly top: XNode;
  readonly attributes: Map<Element, readonly Attribute[]>;
  /** The number of each node in page order; filled at first use. */
  readonly order: Map<XNode, number>;
}

/** Makes the view that XPath has of a part of a page. */
export function treeOf(root: ParentNode): Tree {
  const top: XNode = isDocument(root) ? root : { type: 'top', only: root };
  return { root, top, attributes: new Map(), order: new Map() };
}

/** Returns the nodes along an axis, nearest first. */
export function along(axis: Axis, node: XNode, tree: Tree): readonly XNode[] {
  switch (axis) {
    case 'self':
      return [node];
    case 'child':
      return childrenOf(node);
    case 'descendant':
      return [...below(node)];
    case 'descendant-or-self':
      return [node, ...below(node)];
    case 'parent': {
      const parent = parentOf(node, tree);
      return parent === undefined ? [] : [parent];
    }
    case 'ancestor':
      return ancestorsOf(node, tree);
    case 'ancestor-or-self':
      return [node, ...ancestorsOf(node, tree)];
    case 'following-sibling':
      return siblings(node, tree, 'next');
    case 'preceding-sibling':
      return siblings(node, tree, 'prev');
    case 'following':
      return followingOf(node, tree);
    case 'preceding':
      return precedingOf(node, tree);
    case 'attribute':
      return attributesOf(node, tree);
    default:
      return axis satisfies never;
  }
}

function isOwn(node: XNode): node is Attribute | Top {
  return node.type === 'attribute' || node.type === 'top';
}

function childrenOf(node: XNode): readonly XNode[] {
  if (node.type === 'top') return [node.only];
  return !isOwn(node) && hasChildren(node) ? node.children : [];
}

function* below(node: XNode): Generator<XNode, undefined> {
  if (node.type === 'attribute') return;
  const start: AnyNode = node.type === 'top' ? node.only : node;
  if (node.type === 'top') yield start;
  for (let at = nextNode(start, start); at !== undefined; at = nextNode(at, start)) yield at;
}

function parentOf(node: XNode, tree: Tree): XNode | undefined {
  if (node.type === 'attribute') return node.owner;
  if (node === tree.top || node.type === 'top') return undefined;
  return node === tree.root ? tree.top : (node.parent ?? undefined);
}

function ancestorsOf(node: XNode, tree: Tree): XNode[] {
  const found: XNode[] = [];
  for (let at = parentOf(node, tree); at !== undefined; at = parentOf(at, tree)) found.push(at);
  return found;
}

function siblings(node: XNode, tree: Tree, side: 'next' | 'prev'): XNode[] {
  const found: XNode[] = [];
  if (isOwn(node) || node === tree.root) return found;
  for (let at = node[side]; at !== null; at = at[side]) found.push(at);
  return found;
}

function followingOf(node: XNode, tree: Tree): XNode[] {
  const found: XNode[] = [];
  if (node.type === 'top') return found;
  // What follows an attribute begins with what its element holds.
  const first = node.type === 'attribute' ? nextNode(node.owner, tree.root) : nextBeside(node, tree.root);
  for (let at = first; at !== undefined; at = nextNode(at, tree.root)) found.push(at);
  return found;
}

function precedingOf(node: XNode, tree: Tree): XNode[] {
  const found: XNode[] = [];
  if (node === tree.top) return found;
  const self = node.type === 'attribute' ? node.owner : node;
  const above = new Set(ancestorsOf(self, tree));
  for (const at of below(tree.top)) {
    if (at === self) break;
    if (!above.has(at)) found.push(at);
  }
  return found.reverse();
}

/** The work of making a node of an attribute. */
const attributeSteps = 50;

function attributesOf(node: XNode, { attributes }: Tree): readonly Attribute[] {
  if (isOwn(node) || !isTag(node)) return [];
  const known = attributes.get(node);
  if (known !== undefined) return known;
  const entries = Object.entries(node.attribs);
  spend(entries.length * attributeSteps);
  const found = entries
    .filter(([name]) => name !== 'xmlns' && !name.startsWith('xmlns:'))
    .map(([name, value]): Attribute => ({ type: 'attribute', owner: node, name, value }));
  attributes.set(node, found);
  return found;
}

/** Whether a node passes a node test. A document type is no node of XPath. Names of HTML match in small letters, however an expression writes them. */
export function passes(node: XNode, test: NodeTest, axis: Axis): boolean {
  switch (test.kind) {
    case 'node':
      return isOwn(node) || !isDirective(node) || !node.name.startsWith('!');
    case 'text':
      return !isOwn(node) && isText(node);
    case 'comment':
      return !isOwn(node) && isComment(node);
    case 'processing-instruction':
      return !isOwn(node) && isDirective(node) && !node.name.startsWith('!');
    case 'name': {
      const isNamed = axis === 'attribute' ? node.type === 'attribute' : !isOwn(node) && isTag(node);
      return isNamed && 'name' in node && fits(node.name, test.name);
    }
    default:
      return test satisfies never;
  }
}

function fits(name: string, wanted: string): boolean {
  if (name === wanted) return true;
  if (wanted.endsWith('*')) return wanted === '*' || (wanted.endsWith(':*') && name.startsWith(wanted.slice(0, -1)));
  return name.length === wanted.length && name === wanted.toLowerCase();
}

/** Returns the string value of a node. */
export function stringOf(node: XNode): string {
  const text = textOf(node);
  spend(textSteps + text.length);
  return text;
}

/** The work of the string value of a node, without that of its characters. */
const textSteps = 10;

function textOf(node: XNode): string {
  if (node.type === 'attribute') return node.value;
  if (node.type === 'top') return textContent(node.only);
  return isText(node) || isComment(node) || isDirective(node) ? node.data : textContent(node);
}

/** Returns the name of a node with its prefix; empty if it has none. */
export function nameOf(node: XNode): string {
  if (node.type === 'attribute') return node.name;
  return !isOwn(node) && isTag(node) ? node.name : '';
}

/** The work of giving a node its number, and of putting it into order. */
const [orderSteps, sortSteps] = [10, 30];

/** Sorts nodes into page order, attributes behind their element; each node once. */
export function inOrder(nodes: Iterable<XNode>, tree: Tree): XNode[] {
  const found = [...new Set(nodes)];
  spend(found.length * sortSteps);
  if (found.length < 2) return found;
  const { order } = tree;
  if (order.size === 0) {
    order.set(tree.top, 0);
    for (const node of below(tree.top)) {
      spend(orderSteps);
      order.set(node, order.size);
    }
  }
  return found
    .map((node) => ({ node, place: placeOf(node, tree) }))
    .sort((left, right) => left.place - right.place)
    .map(({ node }) => node);
}

function placeOf(node: XNode, tree: Tree): number {
  if (node.type !== 'attribute') return tree.order.get(node) ?? 0;
  const own = attributesOf(node.owner, tree);
  return (tree.order.get(node.owner) ?? 0) + (own.indexOf(node) + 1) / (own.length + 1);
}
