import { type AnyNode, type Document, isTag, isText } from 'domhandler';
import { parseMarkup } from '../extract/tree/markup.ts';
import { nextBeside, nextNode } from '../extract/tree/nodes.ts';
import { TreeBounds } from '../extract/tree/parts.ts';
import { spacedText } from '../extract/tree/text.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { ExplainedItem } from '../view/trial.ts';
import { ShownText } from './shown-text.ts';

/** A page that is looked at for what changed, and what its definition reads there. */
export interface PageRead {
  /** The address of the answer, which a redirect may have changed. */
  readonly url: string;
  readonly status: number;
  readonly contentType?: string | undefined;
  /** The text of the body, markup included. */
  readonly source: string;
  /** How each field came to its value, or why it has none. */
  readonly items: readonly ExplainedItem[];
  readonly drafts: readonly RecordDraft[];
}

/** The part of a page's source that is looked at, in characters. */
const lookedUnits = 1_000_000;

/** What a page shows, and how it is made. */
export interface PageLook extends PageRead {
  /** Its text without markup and scripts, with single spaces. */
  readonly text: string;
  /** The texts of its elements and attributes, in which values are looked for. Made when it is used first. */
  readonly shown: ShownText;
  readonly title: string;
  /** What its elements are called: `tag.class` of each, once; the keys of a page in JSON. */
  readonly names: ReadonlySet<string>;
  /** Each pair of tags or keys that follow one another, as `ul>li`, once: the structure of the page without its classes. */
  readonly nests: ReadonlySet<string>;
  /** The number of its links. */
  readonly links: number;
}

/** Looks at the text and the elements of a page. */
export function lookAt(page: PageRead): PageLook {
  const source = page.source.slice(0, lookedUnits);
  const isMarkup = /^\s*</.test(source);
  const root = isMarkup ? parseMarkup(source, new TreeBounds('html')).root : undefined;
  const text = root === undefined ? source : spacedText(root);
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(source)?.[1] ?? '';
  const made = isMarkup ? elementsOf(source) : keysOf(source);
  let shown: ShownText | undefined;
  return {
    ...page,
    ...made,
    source,
    text: spaced(text),
    title: title.trim(),
    get shown() {
      return (shown ??= new ShownText({ source, apart: root === undefined ? source : apartText(root) }));
    },
  };
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The texts of a tree, but of scripts and styles, with a space between each two: `<b>a</b>b` is `a b`. */
function apartText(root: Document): string {
  const texts: string[] = [];
  let node: AnyNode | undefined = root;
  while (node !== undefined) {
    if (isText(node)) texts.push(node.data);
    node = isUnseen(node) ? nextBeside(node, root) : nextNode(node, root);
  }
  return texts.join(' ');
}

function isUnseen(node: AnyNode): boolean {
  return isTag(node) && (node.name === 'script' || node.name === 'style');
}

type Made = Pick<PageLook, 'names' | 'nests' | 'links'>;

function elementsOf(source: string): Made {
  const names = new Set<string>();
  const nests = new Set<string>();
  let links = 0;
  let parent = '';
  for (const [, tag = '', attributes = ''] of source.matchAll(/<([a-z][a-z\d]{0,20})\b([^<>]{0,2000})>/gi)) {
    const classes = /\bclass\s*=\s*["']([^"']{0,300})/i.exec(attributes)?.[1] ?? '';
    for (const name of classes === '' ? [''] : classes.trim().split(/\s+/)) names.add(`${tag}.${name}`);
    nests.add(`${parent}>${tag}`);
    if (tag === 'a') links += 1;
    parent = tag;
  }
  return { names, nests, links };
}

function keysOf(source: string): Made {
  const names = new Set<string>();
  const nests = new Set<string>();
  let before = '';
  for (const [, key = ''] of source.matchAll(/"([^"\\]{1,100})"\s*:/g)) {
    names.add(key);
    nests.add(`${before}>${key}`);
    before = key;
  }
  return { names, nests, links: 0 };
}

/** The share of what either of two sets has that both have, from 0 to 1; 1 for two empty sets. */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const each of one) if (other.has(each)) both += 1;
  const all = one.size + other.size - both;
  return all === 0 ? 1 : both / all;
}
