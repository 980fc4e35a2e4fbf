import { type AnyNode, type Element, hasChildren, isTag, isText } from 'domhandler';

/** The node after another in page order within a subtree, or nothing after its last. */
export function nextNode(node: AnyNode, root: AnyNode): AnyNode | undefined {
  return (hasChildren(node) ? node.children[0] : undefined) ?? nextBeside(node, root);
}

/** The node after another and all that it holds. */
export function nextBeside(node: AnyNode, root: AnyNode): AnyNode | undefined {
  for (let at: AnyNode | null = node; at !== null && at !== root; at = at.parent) {
    if (at.next !== null) return at.next;
  }
  return undefined;
}

/** All text below a node as the DOM has it, that of scripts and styles too. Not recursive, however deep a page is nested. */
export function textContent(root: AnyNode): string {
  let text = '';
  for (let node: AnyNode | undefined = root; node !== undefined; node = nextNode(node, root)) {
    if (isText(node)) text += node.data;
  }
  return text;
}

/** The elements of a subtree in page order, its root among them. */
export function* elementsIn(root: AnyNode): Generator<Element, undefined> {
  for (let node: AnyNode | undefined = root; node !== undefined; node = nextNode(node, root)) {
    if (isTag(node)) yield node;
  }
}

/** An attribute's text; nothing where the element has none of that name. */
export function attributeOf(element: Element, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}

/** Longest attribute that is read as names, in characters; what lies behind is left out. */
const namesLength = 10_000;

/** The names in an attribute that lists them, each once. */
export function namesIn(attribute = ''): string[] {
  return [...new Set(attribute.slice(0, namesLength).split(/\s+/))].filter((name) => name !== '');
}
