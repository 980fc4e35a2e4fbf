import type { Document } from 'domhandler';
import { Parser } from 'htmlparser2';
import { BoundHandler } from '../bound-handler.ts';

/**
 * Parses XML into a tree, however broken it is. Names keep their case and CDATA is text like any other; of entities the five
 * of XML and numbers are known, all others stay as they are written, so nothing is fetched and nothing expands.
 */
export function parseXml(text: string): Document {
  const handler = new PlainText('xml');
  new Parser(handler, { xmlMode: true }).end(text);
  return handler.root;
}

/** What asks a tree for text need not know how it was quoted. */
class PlainText extends BoundHandler {
  override oncdatastart(): void {}
  override oncdataend(): void {}
}
