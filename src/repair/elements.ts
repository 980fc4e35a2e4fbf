import { type AnyNode, type Element, isTag } from 'domhandler';
import { elementsIn } from '../extract/tree/nodes.ts';

/** Elements whose text no visitor sees. */
const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/** The elements whose text is shown, of the first `most` of a subtree in page order. */
export function* shownElements(root: AnyNode, most: number): Generator<Element> {
  let left = most;
  for (const element of elementsIn(root)) {
    if (left === 0) return;
    left -= 1;
    if (!unseen.has(element.name)) yield element;
  }
}

/** The element around another one. */
export function parentOf({ parent }: Element): Element | undefined {
  return parent !== null && isTag(parent) ? parent : undefined;
}
