import { type Element, type ParentNode } from 'domhandler';
import { type PartsRoom, takeRoom } from '../tree/parts.ts';
import { isList, type Value } from '../value/value.ts';
import { compileSelector, selectorFault } from '../tree/selector.ts';
import { attributeOf, elementsIn, textContent } from '../tree/nodes.ts';
import { checkedText } from '../../schema/checked-text.ts';
import { variable } from './assigned.ts';
import { jsonOf } from '../value/json-text.ts';
import type { EmbeddedKind, FindEmbedded } from './kind.ts';
import { microdata } from './microdata.ts';

/** All blocks of `ld+json` in a page, as a list of what they describe. */
const linkedData: EmbeddedKind = { compile: () => linkedDataOf };

/** The JSON that is the text of one script. */
const script: EmbeddedKind = {
  option: (z) => checkedText(z, 'a CSS selector', selectorFault),
  compile(css) {
    const matches = compileSelector(css, false);
    return (root, page) => scriptJson(root, matches, page);
  },
};

/** The kinds of JSON that stand within pages, in the order in which they are listed for people. */
export const embeddedKinds = { 'ld+json': linkedData, microdata, script, variable } as const;

type EmbeddedName = keyof typeof embeddedKinds;

/** Where JSON stands in a page: the name of a kind, or its name with a text that picks one of several: `{ script: '#state' }`. */
export type EmbeddedPlan = EmbeddedName | { readonly [N in EmbeddedName]?: string };

/** Compiles the search for the JSON that a plan names. Throws if its selector is not valid, and a `TypeError` for a kind that there is none of. */
export function compileEmbedded(plan: EmbeddedPlan): FindEmbedded {
  const [name, option] = namedEmbedded(plan);
  return embeddedKinds[name].compile(option);
}

/** Names where JSON stands for people: `variable __STATE__`. */
export function embeddedText(plan: EmbeddedPlan): string {
  return namedEmbedded(plan).join(' ').trim();
}

/** The name of a kind and the text that the definition gives with it. */
function namedEmbedded(plan: EmbeddedPlan): readonly [name: EmbeddedName, option: string] {
  if (typeof plan === 'string') return [plan, ''];
  for (const name of Object.keys(embeddedKinds) as EmbeddedName[]) {
    const option = plan[name];
    if (option !== undefined) return [name, option];
  }
  throw new TypeError('expected the name of a kind of embedded JSON');
}

/**
 * What the blocks of `ld+json` in a page describe; undefined if there are none. Broken blocks are left out, since sites
 * have them beside good ones.
 */
function linkedDataOf(root: ParentNode, room: PartsRoom): Value | undefined {
  const blocks: Value[] = [];
  let isThere = false;
  for (const element of elementsIn(root)) {
    if (!isScript(element) || !/^\s*application\/ld\+json\b/i.test(attributeOf(element, 'type') ?? '')) continue;
    isThere = true;
    const block = looseJson(textContent(element), room);
    // One by one: a list may be longer than a call has arguments.
    for (const each of block === undefined ? [] : spread(block)) blocks.push(each);
  }
  return isThere ? blocks : undefined;
}

/** The things that a block describes: it may be one thing, a list of things or a graph of them. */
function spread(block: Value): readonly Value[] {
  if (isList(block)) return block.flatMap((each) => (isList(each) ? each : spread(each)));
  if (typeof block !== 'object' || block === null) return [block];
  const graph = '@graph' in block && !isList(block) ? block['@graph'] : undefined;
  return graph !== undefined && isList(graph) ? graph : [block];
}

function scriptJson(root: ParentNode, matches: (element: Element) => boolean, room: PartsRoom): Value | undefined {
  for (const element of elementsIn(root)) {
    if (matches(element)) return looseJson(textContent(element), room);
  }
  return undefined;
}

/**
 * Parses the JSON of a script, without the comment or CDATA marks in which old pages hide scripts from old browsers,
 * and without a semicolon after it.
 */
function looseJson(text: string, room: PartsRoom): Value | undefined {
  const opened = text.trim().replace(/^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/, '');
  const bare = withoutClosing(opened).replace(/;$/, '');
  takeRoom(room, bare);
  return jsonOf(bare);
}

/**
 * A text without the closing mark of a comment or of CDATA. The mark is looked for from the end, as a pattern could be
 * tried at each of a million spaces.
 */
function withoutClosing(text: string): string {
  const before = withoutEnd(text, ['*/']);
  const bare = withoutEnd(before, ['-->', ']]>']);
  return bare === before ? text : withoutEnd(bare, ['//', '/*']);
}

function withoutEnd(text: string, ends: readonly string[]): string {
  const end = ends.find((each) => text.endsWith(each));
  return end === undefined ? text : text.slice(0, -end.length).trimEnd();
}

function isScript(element: Element): boolean {
  return element.name === 'script';
}
