import { compile, type Options } from 'css-select';
import type { AnyNode, Element, ParentNode } from 'domhandler';
import { hasChildren, isTag, isText } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { findFirst } from '../tree.ts';
import { rawText } from './text.ts';

/** Whether an element matches a selector. */
export type Matcher = (element: Element) => boolean;

type Adapter = NonNullable<Options<AnyNode, Element>['adapter']>;

/** The usual functions, but for those that go down a tree by recursion, which a page can make as deep as it likes. */
const adapter: Adapter = {
  isTag,
  getName: (element) => element.name,
  getAttributeValue: (element, name) => (Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined),
  hasAttrib: (element, name) => Object.hasOwn(element.attribs, name),
  getChildren: DomUtils.getChildren,
  getParent: (node) => node.parent,
  getSiblings: (node) => DomUtils.getSiblings(node),
  prevElementSibling: DomUtils.prevElementSibling,
  removeSubsets: DomUtils.removeSubsets,
  findAll: DomUtils.findAll,
  getText: (node) => (isTag(node) ? rawText(node) : isText(node) ? node.data : ''),
  existsOne: (test, nodes) => firstAmong(test, nodes) !== undefined,
  findOne: (test, nodes) => firstAmong(test, nodes) ?? null,
};

function firstAmong(test: Matcher, nodes: AnyNode | AnyNode[]): Element | undefined {
  for (const node of Array.isArray(nodes) ? nodes : [nodes]) {
    const found = hasChildren(node) ? findFirst(node, test) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Compiles a selector that may name what is around the place it is searched from. */
export function compileSelector(css: string, isXml: boolean): Matcher {
  return compile<AnyNode, Element>(css, { adapter, xmlMode: isXml, cacheResults: !isFlat(css) });
}

/**
 * Whether a selector, or each of a list of them, looks for one ancestor at most. What is known of ancestors is kept for those
 * that look for several, whose time would grow with a power of the depth else; it costs more than it saves for all others.
 */
function isFlat(css: string): boolean {
  const bare = css.replaceAll(/\[[^\]"']*(?:"[^"]*"|'[^']*')?[^\]"']*\]/g, '@');
  if (/[[\]:~"'\\]/.test(bare)) return false;
  return bare.split(',').every((each) => {
    const compounds = each.replaceAll(/\s*[>+]\s*/g, '>').trim();
    return compounds.split(/\s+/).length <= 2;
  });
}

/** Compiles a selector for which nothing but the tree under a root exists; the matcher for a root is good until the next is asked for. */
export function compileScoped(css: string, isXml: boolean): (root: ParentNode) => Matcher {
  let top: ParentNode | undefined;
  const matches = compile<AnyNode, Element>(css, {
    xmlMode: isXml,
    // Of one root is known what is not so of another.
    cacheResults: false,
    adapter: {
      ...adapter,
      getParent: (node) => (node === top ? null : DomUtils.getParent(node)),
      getSiblings: (node) => (node === top ? [node] : DomUtils.getSiblings(node)),
      prevElementSibling: (node) => (node === top ? null : DomUtils.prevElementSibling(node)),
    },
  });
  return (root) => {
    top = root;
    return matches;
  };
}
