import { compile, type Options } from 'css-select';
import { type AnyNode, type Element, type ParentNode, hasChildren, isTag, isText } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { selectorHint } from './selector-hint.ts';
import { spend } from '../../work-budget.ts';
import { findFirst } from './nodes.ts';
import { rawText } from './text.ts';

/** Tells whether an element matches a selector. */
export type Matcher = (element: Element) => boolean;

type Adapter = NonNullable<Options<AnyNode, Element>['adapter']>;

/** The work of a test of an attribute, and of going to an ancestor, of which it may be kept what is known. */
const [attributeSteps, ancestorSteps] = [4, 15];

/**
 * The usual functions, but for those that go down a tree by recursion, which a page can make as deep as it likes. Each counts the
 * work that a selector may do with what it gives.
 */
const adapter: Adapter = {
  isTag,
  getName: (element) => element.name,
  getAttributeValue(element, name) {
    const value = Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
    spend(value === undefined ? attributeSteps : attributeSteps + value.length / 4);
    return value;
  },
  hasAttrib(element, name) {
    spend(attributeSteps);
    return Object.hasOwn(element.attribs, name);
  },
  getChildren(node) {
    const children = DomUtils.getChildren(node);
    spend(children.length);
    return children;
  },
  getParent(node) {
    spend(ancestorSteps);
    return node.parent;
  },
  getSiblings: siblingsOf,
  prevElementSibling: elementBefore,
  removeSubsets: DomUtils.removeSubsets,
  findAll: DomUtils.findAll,
  getText: (node) => (isTag(node) ? rawText(node) : isText(node) ? node.data : ''),
  existsOne: (test, nodes) => firstAmong(test, nodes) !== undefined,
  findOne: (test, nodes) => firstAmong(test, nodes) ?? null,
};

function siblingsOf(node: AnyNode): AnyNode[] {
  const siblings = DomUtils.getSiblings(node);
  spend(siblings.length);
  return siblings;
}

function elementBefore({ prev }: AnyNode): Element | null {
  let node = prev;
  for (; node !== null && !isTag(node); node = node.prev) spend(1);
  return node;
}

function firstAmong(test: Matcher, nodes: AnyNode | AnyNode[]): Element | undefined {
  for (const node of Array.isArray(nodes) ? nodes : [nodes]) {
    const found = hasChildren(node) ? findFirst(node, test) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Compiles a selector that sees the whole document, also around the element that is searched. Throws if the selector is not valid. */
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

/** Compiles a selector for which nothing exists but the tree under a root. The matcher of a root is valid until that of the next root is made. Throws if the selector is not valid. */
export function compileScoped(css: string, isXml: boolean): (root: ParentNode) => Matcher {
  let top: ParentNode | undefined;
  const matches = compile<AnyNode, Element>(css, {
    xmlMode: isXml,
    // Of one root is known what is not so of another.
    cacheResults: false,
    adapter: {
      ...adapter,
      getParent: (node) => (node === top ? null : adapter.getParent(node)),
      getSiblings: (node) => (node === top ? [node] : siblingsOf(node)),
      prevElementSibling: (node) => (node === top ? null : elementBefore(node)),
    },
  });
  return (root) => {
    top = root;
    return matches;
  };
}

/** Returns a phrase for what is wrong with a CSS selector; undefined if it is valid. */
export function selectorFault(text: string): string | undefined {
  if (/^\s*$/.test(text)) return 'it is empty';
  if (/:scope\b/.test(text) || /^\s*[>+~]/.test(text))
    return '":scope" and a combinator at the start have nothing to relate to: from the present element lead XPaths such as "./a"';
  if (/[>+~]\s*$/.test(text)) return 'nothing follows the last combinator';
  const hint = selectorHint(text);
  if (hint !== undefined) return hint;
  const open = openBracket(text);
  if (open !== undefined) return `its "${open}" is never closed`;
  const stray = strayMark(text);
  if (stray !== undefined) return `"${stray}" does not belong there`;
  try {
    compile(text);
    return undefined;
  } catch (error) {
    // The compiler has no other way to say that a selector is wrong.
    return compilerFault(error instanceof Error ? error.message : String(error));
  }
}

/** What the compiler says, in words that name the part that is wrong. */
function compilerFault(message: string): string {
  const [, rest] = /^Expected name, found (.*)$/s.exec(message) ?? [];
  if (rest !== undefined) return rest === '' ? 'a name is missing at its end' : `a name is missing before "${rest}"`;
  const [, unknown] = /^Unknown pseudo-class (:.+)$/s.exec(message) ?? [];
  return unknown === undefined ? message : `there is no "${unknown}"`;
}

/** A bracket that is opened outside of quotes and never closed. */
function openBracket(text: string): string | undefined {
  const bare = text.replaceAll(/\\./gs, '_').replaceAll(/"[^"]*"|'[^']*'/g, '');
  return [
    ['[', ']'],
    ['(', ')'],
  ].find(([open = '', close = '']) => bare.split(open).length > bare.split(close).length)?.[0];
}

/** A mark that no selector holds outside of brackets and quotes, or a dot or hash without a name, which the compiler takes for names. */
function strayMark(text: string): string | undefined {
  const bare = text
    .replaceAll(/\\./gs, '_')
    .replaceAll(/"[^"]*"|'[^']*'/g, '')
    .replaceAll(/\[[^\]]*\]/g, '_');
  return /[&$@%!;{}?/]|[.#](?![\p{L}\p{N}_-])/u.exec(bare)?.[0];
}
