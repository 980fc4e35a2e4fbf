import { type Document, isDocument } from 'domhandler';
import { defined } from '../../defined.ts';
import { parseMarkup } from '../tree/markup.ts';
import { TreeBounds } from '../tree/parts.ts';
import { findFirst } from '../tree/nodes.ts';
import type { DocumentKind, OpenedDocument } from './kind.ts';

/** An HTML page. */
export const html: DocumentKind = {
  title: 'an HTML page',
  view: 'html',
  media: {
    called: /^(?:text\/html|application\/xhtml\+xml)$/,
    begins: /^</,
    otherwise: 'text without a tag',
  },
  marks: () => ['<'],
  steps: { byte: 1, mark: 70 },
  open(text, { tree = 'fast' }, url) {
    if (tree === 'browser') return parseBrowser(text).then((root) => opened(root, /<base\s/i.test(text), url));
    const { root, hasBase, endsIn } = parseMarkup(text, new TreeBounds('html'));
    return { ...opened(root, hasBase, url), ...defined({ endsIn }) };
  },
  docs: {
    readAs: 'a page; `tree: browser` builds the tree that a browser would, at several times the cost',
    places: 'all',
  },
};

function opened(root: Document, mayHaveBase: boolean, url: string): OpenedDocument & { readonly ok: true } {
  return { ok: true, root, base: mayHaveBase ? baseUrlOf(root, url) : url };
}

/** Parses a page as a browser would. The parser is loaded when it is first used. */
async function parseBrowser(text: string): Promise<Document> {
  const { load } = await import('cheerio');
  // Without scripting, what stands in <noscript> is part of the tree, as it is in the fast one.
  const [root] = load(text, { scriptingEnabled: false }).root();
  if (root === undefined || !isDocument(root))
    throw new TypeError('expected the browser tree to begin with a document');
  return root;
}

/** Parses a page into a tree as it is written. Throws `TooManyParts` for more attributes than a thread may hold. */
export function parseHtml(text: string): Document {
  return parseMarkup(text, new TreeBounds('html')).root;
}

/** Returns the address that a page's relative addresses are resolved against: its first `<base href>`, else its own address. */
export function baseUrlOf(root: Document, url: string): string {
  const base = findFirst(root, ({ name, attribs }) => name === 'base' && Object.hasOwn(attribs, 'href'));
  const href = base?.attribs['href'];
  return (href === undefined ? null : URL.parse(href, url))?.href ?? url;
}
