import { type Element, isDocument, isTag, type ParentNode } from 'domhandler';
import { evaluateExpression } from './evaluate.ts';
import type { Axis, Expression } from './expression.ts';
import { parseXPath, XPathError } from './parse.ts';
import { stringOf, treeOf, type XNode } from './tree.ts';
import { isNodes } from './value.ts';

/** One match of an XPath: an element, the text of an attribute, text node or comment, or the value of an expression that is no path. */
export type XPathHit = Element | string | number | boolean;

/** A match with the element that it stands in; that is missing for a value of an expression, and for what no element holds. */
export interface OwnedHit {
  readonly hit: XPathHit;
  readonly owner: Element | undefined;
}

/**
 * Compiles an expression of XPath 1.0 to a function that returns its matches in page order. The given root is the whole document:
 * absolute paths begin above it and no axis leads out of it. Throws an `XPathError` if the expression is not valid.
 */
export function compileXPath(expression: string): (root: ParentNode) => readonly OwnedHit[] {
  const parsed = parseXPath(expression);
  return (root) => {
    const tree = treeOf(root);
    const value = evaluateExpression(parsed, { node: root, position: 1, size: 1, tree });
    if (isNodes(value))
      return value.flatMap((node) => {
        const hit = hitOf(node);
        return hit === undefined ? [] : { hit, owner: ownerOf(node) };
      });
    return typeof value === 'number' && !Number.isFinite(value) ? [] : [{ hit: value, owner: undefined }];
  };
}

/** Axes that lead out of the root of a search, where nothing is. */
const outward: ReadonlySet<Axis> = new Set([
  'parent',
  'ancestor',
  'following-sibling',
  'preceding-sibling',
  'following',
  'preceding',
]);

/** Returns a phrase for what is wrong with an expression; undefined if it is a valid XPath that may find something. */
export function xpathFault(expression: string): string | undefined {
  try {
    const axis = outwardAxis(parseXPath(expression));
    return (
      axis && `nothing is outside of the element that is searched (${axis}); "from" leads to what is beside or above it`
    );
  } catch (error) {
    if (error instanceof XPathError) return error.message;
    throw error;
  }
}

/** The axis by which a path, or one of several, leaves the root with its first step that goes anywhere. */
function outwardAxis(expression: Expression): Axis | undefined {
  if (expression.kind === 'binary' && expression.operator === '|')
    return outwardAxis(expression.left) ?? outwardAxis(expression.right);
  if (expression.kind !== 'path') return undefined;
  if (typeof expression.from === 'object') return outwardAxis(expression.from.of);
  const first = expression.from === 'context' ? expression.steps.find(({ axis }) => axis !== 'self') : undefined;
  return first !== undefined && outward.has(first.axis) ? first.axis : undefined;
}

/** A document is found as its first element, since values are taken from elements. */
function hitOf(node: XNode): XPathHit | undefined {
  if (node.type === 'top') return isTag(node.only) ? node.only : undefined;
  if (node.type === 'attribute') return node.value;
  if (isDocument(node)) return node.children.find(isTag);
  return isTag(node) ? node : stringOf(node);
}

function ownerOf(node: XNode): Element | undefined {
  if (node.type === 'top') return undefined;
  const owner = node.type === 'attribute' ? node.owner : node.parent;
  return owner !== null && isTag(owner) ? owner : undefined;
}
