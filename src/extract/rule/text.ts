import { type AnyNode, type Element, hasChildren, isTag, isText } from 'domhandler';

/** Elements whose text no reader sees. */
const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** Elements in which white space stands as it is written. */
const verbatim: ReadonlySet<string> = new Set(['pre', 'textarea', 'listing', 'script', 'style', 'template']);

/**
 * The text of an element with its white space collapsed, but in `pre`: of the element itself and of all that it holds, scripts,
 * styles and comments left out. Blocks do not part words: `a<br>b` is `ab`. No-break spaces stay.
 */
export function collapsedText(root: Element): string {
  const only = root.children.length === 1 ? root.children[0] : undefined;
  // What most elements are.
  if (only !== undefined && isText(only) && !/\s/.test(only.data) && !verbatim.has(root.name)) return only.data;
  if (isVerbatim(root)) return rawText(root);
  let text = '';
  let endsBlank = false;
  walk(root, (data, isKept) => {
    const piece = isKept ? data : data.replaceAll(/[ \t\n\r\f]+/g, ' ');
    const added = !isKept && endsBlank && piece.startsWith(' ') ? piece.slice(1) : piece;
    if (added === '') return;
    text += added;
    endsBlank = !isKept && added.endsWith(' ');
  });
  return text;
}

/** The same with white space as it is written. */
export function rawText(root: Element): string {
  let text = '';
  walk(root, (data) => {
    text += data;
  });
  return text;
}

function isVerbatim(element: Element): boolean {
  for (let node: AnyNode | null = element; node !== null; node = node.parent) {
    if (isTag(node) && verbatim.has(node.name)) return true;
  }
  return false;
}

/** Gives each text that a reader sees, and whether its white space is kept. Not recursive, however deep a page is nested. */
function walk(root: Element, visit: (data: string, isKept: boolean) => void): void {
  let node: AnyNode = root;
  let kept = 0;
  for (;;) {
    if (isText(node)) visit(node.data, kept > 0);
    const isOpen: boolean = node === root || !isTag(node) || !unseen.has(node.name);
    const child: AnyNode | undefined = isOpen && hasChildren(node) ? node.children[0] : undefined;
    if (child !== undefined) {
      if (isTag(node) && verbatim.has(node.name)) kept += 1;
      node = child;
      continue;
    }
    while (node !== root && node.next === null) {
      if (node.parent === null) return;
      node = node.parent;
      if (isTag(node) && verbatim.has(node.name)) kept -= 1;
    }
    if (node === root || node.next === null) return;
    node = node.next;
  }
}
