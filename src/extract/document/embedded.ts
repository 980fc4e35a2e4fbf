import { type Element, isTag, type ParentNode } from 'domhandler';
import { type PartsRoom, takeRoom } from '../density.ts';
import type { Value } from '../draft.ts';
import { assignedJson } from './assigned.ts';
import { jsonOf } from './json.ts';
import { microdataItems } from './microdata.ts';
import { attributeOf, elementsIn, namesIn, textContent } from './node.ts';

/** Where JSON stands in a page: all `ld+json` blocks as a list, all `microdata` items as a list, one script's text, or what a script assigns to a variable. */
export type JsonPlace =
  | 'ld+json'
  | 'microdata'
  | { readonly script: (element: Element) => boolean }
  | { readonly variable: string };

/** What all places in one page share. */
export interface EmbeddingPage extends PartsRoom {
  /** What relative addresses are relative to. */
  readonly base: string;
}

/**
 * What stands at the place; nothing where there is no such place, or what is there is no JSON. It throws `TooManyParts` where
 * the page has no room left for that.
 */
export function embeddedJson(root: ParentNode, where: JsonPlace, page: EmbeddingPage): Value | undefined {
  if (where === 'ld+json') return linkedData(root, page);
  if (where === 'microdata') return microdataItems(root, page.base);
  if ('script' in where) return scriptJson(root, where.script, page);
  for (const element of elementsIn(root)) {
    const value = isScript(element) ? assignedJson(textContent(element), where.variable, page) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The contents of the page's `<meta>` of that property, name or itemprop, in page order. */
export function metaContents(root: ParentNode, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  const contents: string[] = [];
  for (const element of elementsIn(root)) {
    if (element.name !== 'meta') continue;
    const names = ['property', 'name', 'itemprop'].flatMap((each) =>
      namesIn(attributeOf(element, each)?.toLowerCase()),
    );
    const content = attributeOf(element, 'content');
    if (content !== undefined && names.includes(wanted)) contents.push(content);
  }
  return contents;
}

/** Broken blocks are left out: sites have them, and the others still tell. */
function linkedData(root: ParentNode, room: PartsRoom): Value | undefined {
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

/** A block may be one thing, a list of things or a graph of them. */
function spread(block: Value): readonly Value[] {
  if (isList(block)) return block.flatMap((each) => (isList(each) ? each : spread(each)));
  if (typeof block !== 'object' || block === null) return [block];
  const graph = '@graph' in block && !isList(block) ? block['@graph'] : undefined;
  return graph !== undefined && isList(graph) ? graph : [block];
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function scriptJson(root: ParentNode, matches: (element: Element) => boolean, room: PartsRoom): Value | undefined {
  for (const element of elementsIn(root)) {
    if (matches(element)) return looseJson(textContent(element), room);
  }
  return undefined;
}

/** Old pages hide scripts from old browsers, in comments of HTML or in marks of CDATA; a semicolon may follow. */
function looseJson(text: string, room: PartsRoom): Value | undefined {
  const opened = text.trim().replace(/^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/, '');
  const bare = withoutClosing(opened).replace(/;$/, '');
  takeRoom(room, bare);
  return jsonOf(bare);
}

/** Looked for from the end: a pattern that may begin anywhere tries each of a million spaces. */
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
  return isTag(element) && element.name === 'script';
}
