import { type Document, DomHandler, isTag } from 'domhandler';
import { Parser } from 'htmlparser2';
import { TreeBounds } from '../tree/parts.ts';
import type { DocumentKind } from './kind.ts';

/** An XML document. */
export const xml: DocumentKind = {
  title: 'an XML document',
  view: 'xml',
  media: {
    called: /^(?:(?:application|text)\/xml|[^/]+\/[^/]+\+xml)$/,
    miscalled: /^(?:text\/html|application\/(?:rss|atom|rdf))$/,
    begins: /^<(?!!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/i,
    otherwise: 'text without a tag',
  },
  marks: () => ['<'],
  steps: { byte: 1, mark: 70 },
  open(text) {
    const { root, hasBases } = parseInto(new XmlTree(), text);
    return root.children.some(isTag)
      ? { ok: true, root, hasBases }
      : { ok: false, message: 'expected an element, got text alone' };
  },
  docs: { readAs: 'a tree whose names keep their capitals', places: 'CSS, XPath' },
};

/**
 * Parses XML into a tree, however broken it is. Names keep their case and CDATA is text like any other. Of entities the five
 * of XML and numbers are known; all others stay as they are written, so nothing is fetched and nothing expands. Throws
 * `TooManyParts` for more attributes than a thread may hold.
 */
export function parseXml(text: string): Document {
  return parseInto(new XmlTree(), text).root;
}

/** Parses XML into a tree, and returns the tree. Throws `TooManyParts` for more attributes than a thread may hold. */
export function parseInto<T extends XmlTree>(tree: T, text: string): T {
  new Parser(tree, { xmlMode: true }).end(text);
  return tree;
}

/** Builds a tree in which CDATA is plain text: rules that ask for text need not know how it was quoted. */
export class XmlTree extends DomHandler {
  /** Whether an element names a base for the addresses in it. */
  hasBases = false;
  readonly #bounds = new TreeBounds('xml');

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#bounds.element(this.tagStack.length);
    if (attributes['xml:base'] !== undefined) this.hasBases = true;
    super.onopentag(name, attributes);
  }

  onattribute(): void {
    this.#bounds.attribute();
  }

  override oncdatastart(): void {}
  override oncdataend(): void {}
}
