import { type Element, isDocument, isTag, type ParentNode } from 'domhandler';
import { evaluate } from './xpath/evaluate.ts';
import { parseXPath } from './xpath/parse.ts';
import { XPathError } from './xpath/token.ts';
import { stringOf, treeOf, type XNode } from './xpath/tree.ts';
import { isNodes } from './xpath/value.ts';

/** What an XPath finds: an element, the text of an attribute, text node or comment, or the value of an expression that is no path. */
export type XPathHit = Element | string | number | boolean;

/**
 * All that an expression of XPath 1.0 finds in page order. The given root is the whole document: absolute paths begin above it
 * and no axis leads out of it. It throws an `XPathError` where `xpathFault` names a fault.
 */
export function compileXPath(expression: string): (root: ParentNode) => readonly XPathHit[] {
  const parsed = parseXPath(expression);
  return (root) => {
    const tree = treeOf(root);
    const value = evaluate(parsed, { node: root, position: 1, size: 1, tree });
    if (isNodes(value)) return value.flatMap((node) => hitOf(node) ?? []);
    return typeof value === 'number' && !Number.isFinite(value) ? [] : [value];
  };
}

/** What is wrong with an expression, if anything. */
export function xpathFault(expression: string): string | undefined {
  try {
    parseXPath(expression);
    return undefined;
  } catch (error) {
    if (error instanceof XPathError) return error.message;
    throw error;
  }
}

/** A document is found as its first element, since values are taken from elements. */
function hitOf(node: XNode): XPathHit | undefined {
  if (node.type === 'top') return isTag(node.only) ? node.only : undefined;
  if (node.type === 'attribute') return node.value;
  if (isDocument(node)) return node.children.find(isTag);
  return isTag(node) ? node : stringOf(node);
}
