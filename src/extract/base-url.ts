import type { Document } from 'domhandler';
import { findFirst } from './tree.ts';

/** What relative URLs of a page are relative to: its first `<base href>`, else its own address. */
export function baseUrlOf(root: Document, url: string): string {
  const base = findFirst(root, ({ name, attribs }) => name === 'base' && Object.hasOwn(attribs, 'href'));
  const href = base?.attribs['href'];
  return (href === undefined ? null : URL.parse(href, url))?.href ?? url;
}
