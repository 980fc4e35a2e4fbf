import {
  type AnyNode,
  type Document,
  type Element,
  hasChildren,
  isDocument,
  isTag,
  isText,
  type ParentNode,
} from 'domhandler';
import { parseDocument, Parser } from 'htmlparser2';
import { BoundHandler } from './bound-handler.ts';
import { maxParts } from './density.ts';
import type { ExtractPlan } from './plan.ts';

/** Parses a page into the tree that its definition asks for. The browser's one loads its parser at first use. */
export async function parseTree(text: string, tree: ExtractPlan['tree']): Promise<Document> {
  if (tree === 'fast') return parseFast(text);
  const { load } = await import('cheerio');
  // Without scripting, what stands in <noscript> is part of the tree, as it is in the fast one.
  const [root] = load(text, { scriptingEnabled: false }).root();
  if (root === undefined || !isDocument(root))
    throw new TypeError('expected the browser tree to begin with a document');
  return root;
}

/** Short texts need no count of their attributes, which costs a call for each. */
function parseFast(text: string): Document {
  if (text.length <= maxParts) return parseDocument(text);
  const handler = new BoundHandler('html');
  new Parser(handler).end(text);
  return handler.root;
}

/**
 * The first `most` elements of a subtree that match, in page order, its root among them. Not recursive, however deep a page
 * is nested; what is asked of each node is what matters here, as every rule goes through the page.
 */
export function findUpTo(root: ParentNode, matches: (element: Element) => boolean, most: number): Element[] {
  const found: Element[] = [];
  let node: AnyNode = root;
  for (;;) {
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

/** The first element of a subtree that matches, its root among them. */
export function findFirst(root: ParentNode, matches: (element: Element) => boolean): Element | undefined {
  for (let node: AnyNode | undefined = root; node !== undefined; node = following(node, root)) {
    if (isTag(node) && matches(node)) return node;
  }
  return undefined;
}

/** The node after `node` in page order, within the tree under `root`. */
export function following(node: AnyNode, root: ParentNode): AnyNode | undefined {
  const child = hasChildren(node) ? node.children[0] : undefined;
  if (child !== undefined) return child;
  let at: AnyNode | null = node;
  while (at !== null && at !== root) {
    if (at.next !== null) return at.next;
    at = at.parent;
  }
  return undefined;
}

/** Elements whose text no reader sees. */
const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** Elements that part words: a reader sees a line end there. */
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** The text of an element as a reader sees it, with white space as it is written and some more where blocks part words. */
export function textOf(root: Element): string {
  let text = '';
  let node: AnyNode | null = root;
  while (node !== null) {
    if (isText(node)) text += node.data;
    else if (isBlock(node)) text += ' ';
    const isOpen: boolean = node === root || !isTag(node) || !unseen.has(node.name);
    const child: AnyNode | undefined = isOpen && hasChildren(node) ? node.children[0] : undefined;
    if (child !== undefined) {
      node = child;
      continue;
    }
    while (node !== null && node !== root && node.next === null) {
      node = node.parent;
      if (node !== null && isBlock(node)) text += ' ';
    }
    node = node === null || node === root ? null : node.next;
  }
  return text;
}

function isBlock(node: AnyNode): boolean {
  return isTag(node) && blocks.has(node.name);
}
