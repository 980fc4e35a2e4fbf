import { type AnyNode, Document, type Element, hasChildren, isTag, isText, type ParentNode } from 'domhandler';
import { spend } from '../../work-budget.ts';

/** The work of going on to the next node. */
const nodeSteps = 2;

/** A document whose elements are listed in page order as it is parsed, so that a search of all of it need not go through its tree. */
export class ListedDocument extends Document {
  elements: Element[] = [];

  constructor() {
    super([]);
  }

  /** Leaves out of the list the elements that were taken out of the tree. */
  keep(isKept: (element: Element) => boolean): void {
    this.elements = this.elements.filter(isKept);
  }
}

/**
 * Finds the first `most` elements of a subtree that match, in page order, its root among them. Not recursive, however deep a page
 * is nested. Every rule goes through the page here, so it does as little as it can for each node.
 */
export function findUpTo(root: ParentNode, matches: (element: Element) => boolean, most: number): Element[] {
  if (root instanceof ListedDocument) return findAmong(root.elements, matches, most);
  const found: Element[] = [];
  let node: AnyNode = root;
  for (;;) {
    spend(nodeSteps);
    if (isTag(node) && matches(node)) {
      found.push(node);
      if (found.length >= most) return found;
    }
    const child: AnyNode | undefined = isText(node) || !hasChildren(node) ? undefined : node.children[0];
    if (child !== undefined) {
      node = child;
      continue;
    }
    while (node !== root && node.next === null) node = node.parent ?? root;
    if (node === root) return found;
    node = node.next ?? root;
  }
}

function findAmong(elements: readonly Element[], matches: (element: Element) => boolean, most: number): Element[] {
  const found: Element[] = [];
  for (const element of elements) {
    spend(nodeSteps);
    if (!matches(element)) continue;
    found.push(element);
    if (found.length >= most) break;
  }
  return found;
}

/** Finds the first element of a subtree that matches, its root among them; undefined if none does. */
export function findFirst(root: ParentNode, matches: (element: Element) => boolean): Element | undefined {
  for (let node: AnyNode | undefined = root; node !== undefined; node = nextNode(node, root)) {
    if (isTag(node) && matches(node)) return node;
  }
  return undefined;
}

/**
 * Goes through a subtree in page order, its root first. `enter` is called for each node, and returns whether to go into it; `leave`
 * is called for the node after all that it holds. Not recursive, however deep a page is nested.
 */
export function walk(root: AnyNode, enter: (node: AnyNode) => boolean, leave: (node: AnyNode) => void): void {
  let node: AnyNode = root;
  for (;;) {
    spend(nodeSteps);
    const child: AnyNode | undefined = enter(node) && hasChildren(node) ? node.children[0] : undefined;
    if (child !== undefined) {
      node = child;
      continue;
    }
    leave(node);
    while (node !== root && node.next === null && node.parent !== null) {
      node = node.parent;
      leave(node);
    }
    if (node === root || node.next === null) return;
    node = node.next;
  }
}

/** Returns the node after another in page order within a subtree; undefined after its last. */
export function nextNode(node: AnyNode, root: AnyNode): AnyNode | undefined {
  spend(nodeSteps);
  return (hasChildren(node) ? node.children[0] : undefined) ?? nextBeside(node, root);
}

/** Returns the node after another and all that it holds; undefined if it is the last of the subtree. */
export function nextBeside(node: AnyNode, root: AnyNode): AnyNode | undefined {
  for (let at: AnyNode | null = node; at !== null && at !== root; at = at.parent) {
    if (at.next !== null) return at.next;
  }
  return undefined;
}

/**
 * Returns all text below a node as the DOM has it, with that of scripts and styles. Not recursive, however deep a page is nested.
 *
 * @param between - the text to put between the texts of two nodes.
 */
export function textContent(root: AnyNode, between = ''): string {
  let text: string | undefined;
  for (let node: AnyNode | undefined = root; node !== undefined; node = nextNode(node, root)) {
    if (isText(node)) text = text === undefined ? node.data : `${text}${between}${node.data}`;
  }
  return text ?? '';
}

/** Returns the elements of a subtree in page order, its root among them. */
export function elementsIn(root: AnyNode): Iterable<Element> {
  if (!(root instanceof ListedDocument)) return elementsOfTree(root);
  spend(root.elements.length * nodeSteps);
  return root.elements;
}

function* elementsOfTree(root: AnyNode): Generator<Element, undefined> {
  for (let node: AnyNode | undefined = root; node !== undefined; node = nextNode(node, root)) {
    if (isTag(node)) yield node;
  }
}

/** Returns the first element behind another and all that it holds; undefined if it is the last of the subtree. */
export function elementBehind(element: Element, root: AnyNode): Element | undefined {
  let node = nextBeside(element, root);
  while (node !== undefined && !isTag(node)) node = nextNode(node, root);
  return node;
}

/** Returns an attribute as it is written; undefined if the element has none of that name. */
export function attributeOf(element: Element, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}

/** Longest attribute that is read as names, in characters; what lies behind is left out. */
const namesLength = 10_000;

/** The work of splitting names, for each character. */
const nameSteps = 8;

/** Returns the names in an attribute that lists them, each once. */
export function namesIn(attribute = ''): string[] {
  spend(attribute.length * nameSteps);
  return [...new Set(attribute.slice(0, namesLength).split(/\s+/))].filter((name) => name !== '');
}

/** The work of reading the names of a `<meta>`. */
const metaSteps = 100;

/** Returns the contents of a page's `<meta>` elements of a property, name or itemprop, in page order. */
export function metaContents(root: ParentNode, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  const contents: string[] = [];
  for (const element of elementsIn(root)) {
    if (element.name !== 'meta') continue;
    spend(metaSteps);
    const names = ['property', 'name', 'itemprop'].flatMap((each) =>
      namesIn(attributeOf(element, each)?.toLowerCase()),
    );
    const content = attributeOf(element, 'content');
    if (content !== undefined && names.includes(wanted)) contents.push(content);
  }
  return contents;
}
