import type { Document, Element, ParentNode } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { elementsIn, ListedDocument } from './nodes.ts';
import { compileSelector } from './selector.ts';

/** The work of looking at an element that stays, besides that of the selectors. */
const elementSteps = 4;

/** Compiles selectors to a function that takes the elements which match one out of a tree, with all that they hold. Throws if a selector is not valid. */
export function compileIgnore(selectors: readonly string[], isXml: boolean): (root: Document) => void {
  const matchers = selectors.map((css) => compileSelector(css, isXml));
  return (root) => {
    // Selectors count siblings, so that none is taken out before all are found.
    const ignored = new Set<Element>();
    for (const element of elementsIn(root)) {
      spend(elementSteps);
      if (isIn(ignored, element.parent) || matchers.some((matches) => matches(element))) ignored.add(element);
    }
    if (ignored.size > 0) takeOut(root, ignored);
  };
}

function isIn(elements: ReadonlySet<ParentNode>, node: ParentNode | null): boolean {
  return node !== null && elements.has(node);
}

function takeOut(root: Document, ignored: ReadonlySet<Element>): void {
  const parents = new Set<ParentNode>();
  for (const { parent } of ignored) if (parent !== null && !isIn(ignored, parent)) parents.add(parent);
  for (const parent of parents) {
    const children = parent.children.filter((child) => !ignored.has(child as Element));
    spend(parent.children.length);
    for (const [index, child] of children.entries()) {
      child.prev = children[index - 1] ?? null;
      child.next = children[index + 1] ?? null;
    }
    parent.children = children;
  }
  if (root instanceof ListedDocument) root.keep((element) => !ignored.has(element));
}
