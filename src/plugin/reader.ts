import { load } from 'cheerio/slim';
import type { Document, ParentNode } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { baseUrlOf } from '../extract/base-url.ts';
import type { Unparsed, Value } from '../extract/draft.ts';
import type { Query, Reader, ReadPage, Rules } from '../provider/define.ts';
import { readRules } from '../provider/plugin-rules.ts';

/** One instance serves all pages: to make one for each costs as much as the page's parse. */
const shared = load('');

/** What rules found of a page and could not read is kept up to so many. */
const maxUnparsed = 1_000;

/** What `read` reads a page with, and what its rules could not read. */
export interface OpenReader {
  readonly reader: Reader<unknown>;
  readonly unparsed: readonly Omit<Unparsed, 'record'>[];
}

/** Opens a page for `read`; the tree is built when it is first asked for. */
export function openReader(page: ReadPage, options: unknown): OpenReader {
  const unparsed: Omit<Unparsed, 'record'>[] = [];
  let tree: Document | undefined;
  const root = (): Document => (tree ??= parseDocument(page.text));

  const $: Query = Object.assign(
    (selector: Parameters<typeof shared>[0], context?: Parameters<typeof shared>[1]) =>
      shared(selector, context ?? root(), root()),
    { root: () => shared(root()) },
  ) as Query;
  const rules = (...args: readonly [Rules] | readonly [ParentNode | Value, Rules]): Record<string, Value> => {
    const [from, given] = args.length === 1 ? [root(), args[0]] : args;
    // Few pages have a base; looking for one in the text is cheaper than in the tree.
    const base = /<base\s/i.test(page.text) ? baseUrlOf(root(), page.url) : page.url;
    const found = readRules(from, given, { base });
    unparsed.push(...found.unparsed.slice(0, maxUnparsed - unparsed.length));
    return { ...found.fields };
  };
  return { reader: Object.freeze({ options, $, rules }), unparsed };
}
