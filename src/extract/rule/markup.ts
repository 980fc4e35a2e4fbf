import { type AnyNode, type Element, hasChildren, isCDATA, isComment, isTag, isText } from 'domhandler';

/** Elements that hold nothing and have no end tag. */
const empty: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** Elements whose text is not markup, so that nothing in it is escaped. */
const verbatim: ReadonlySet<string> = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** What an element holds, as markup that is XML as well: `<br />`, attributes in quotes. Not recursive. */
export function innerMarkup(root: Element): string {
  return markupOf(root, false);
}

/** An element with its tags. */
export function outerMarkup(root: Element): string {
  return markupOf(root, true);
}

function markupOf(root: Element, isOuter: boolean): string {
  const out: string[] = [];
  let node: AnyNode = root;
  if (isOuter) out.push(opening(root));
  for (;;) {
    const child: AnyNode | undefined = hasChildren(node) ? node.children[0] : undefined;
    if (child !== undefined) {
      node = child;
      out.push(opening(node));
      continue;
    }
    while (node !== root && node.next === null) {
      out.push(closing(node));
      if (node.parent === null) return out.join('');
      node = node.parent;
    }
    if (node === root || node.next === null) break;
    out.push(closing(node));
    node = node.next;
    out.push(opening(node));
  }
  if (isOuter) out.push(closing(root));
  return out.join('');
}

function opening(node: AnyNode): string {
  if (isText(node))
    return node.parent !== null && isTag(node.parent) && verbatim.has(node.parent.name)
      ? node.data
      : escaped(node.data);
  if (isComment(node)) return `<!--${node.data}-->`;
  if (isCDATA(node) || !isTag(node)) return '';
  const attributes = Object.entries(node.attribs).map(([name, value]) => ` ${name}="${escapedAttribute(value)}"`);
  return `<${node.name}${attributes.join('')}${isEmpty(node) ? ' />' : '>'}`;
}

function closing(node: AnyNode): string {
  return isTag(node) && !isEmpty(node) ? `</${node.name}>` : '';
}

function isEmpty(element: Element): boolean {
  return element.children.length === 0 && empty.has(element.name);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapedAttribute(text: string): string {
  return escaped(text).replaceAll('"', '&quot;');
}
