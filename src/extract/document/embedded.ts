import { type Element, isTag, type ParentNode } from 'domhandler';
import type { Value } from '../draft.ts';
import { assignedJson } from './assigned.ts';
import { parseJson } from './json.ts';
import { microdataItems } from './microdata.ts';
import { attributeOf, elementsIn, textContent } from './node.ts';

/** Where JSON stands in a page: all `ld+json` blocks as a list, all `microdata` items as a list, one script's text, or what a script assigns to a variable. */
export type JsonPlace =
  | 'ld+json'
  | 'microdata'
  | { readonly script: (element: Element) => boolean }
  | { readonly variable: string };

/** What stands at the place; nothing where there is no such place, or what is there is no JSON. */
export function embeddedJson(root: ParentNode, where: JsonPlace, base: string): Value | undefined {
  if (where === 'ld+json') return linkedData(root);
  if (where === 'microdata') return microdataItems(root, base);
  if ('script' in where) return scriptJson(root, where.script);
  for (const element of elementsIn(root)) {
    const value = isScript(element) ? assignedJson(textContent(element), where.variable) : undefined;
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
    const names = ['property', 'name', 'itemprop'].map((each) => attributeOf(element, each)?.toLowerCase());
    const content = attributeOf(element, 'content');
    if (content !== undefined && names.some((each) => each?.split(/\s+/).includes(wanted))) contents.push(content);
  }
  return contents;
}

/** Broken blocks are left out: sites have them, and the others still tell. */
function linkedData(root: ParentNode): Value | undefined {
  const blocks: Value[] = [];
  let isThere = false;
  for (const element of elementsIn(root)) {
    if (!isScript(element) || !/^\s*application\/ld\+json\b/i.test(attributeOf(element, 'type') ?? '')) continue;
    isThere = true;
    const block = looseJson(textContent(element));
    if (block !== undefined) blocks.push(...spread(block));
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

function scriptJson(root: ParentNode, matches: (element: Element) => boolean): Value | undefined {
  for (const element of elementsIn(root)) {
    if (matches(element)) return looseJson(textContent(element));
  }
  return undefined;
}

/** Old pages hide scripts from old browsers, in comments of HTML or in marks of CDATA; a semicolon may follow. */
function looseJson(text: string): Value | undefined {
  const bare = text
    .trim()
    .replace(/^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/, '')
    .replace(/(?:\/\/|\/\*)?\s*(?:-->|\]\]>)\s*(?:\*\/)?$/, '')
    .replace(/;\s*$/, '');
  const parsed = parseJson(bare);
  return parsed.ok ? parsed.value : undefined;
}

function isScript(element: Element): boolean {
  return isTag(element) && element.name === 'script';
}
