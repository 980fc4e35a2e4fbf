import { decodeBody } from '../extract/decode.ts';
import { parseMarkup } from '../extract/tree/markup.ts';
import { TreeBounds } from '../extract/tree/parts.ts';
import { spacedText } from '../extract/tree/text.ts';
import type { PageHead } from './entry.ts';
import { type DiffPart, wordDiff } from '../view/text-diff.ts';

/** A page with its bytes. */
export interface PageBytes {
  readonly page: { readonly contentType?: PageHead['contentType'] | undefined };
  readonly body: Uint8Array;
}

/** The text of a page's bytes, markup included. */
export function pageSource({ page, body }: PageBytes): string {
  return decodeBody(body, page.contentType);
}

/** How two pages differ in the text that they show, word by word: without markup, where they have any. */
export function pageDiff(older: PageBytes, newer: PageBytes): readonly DiffPart[] {
  return wordDiff(shownText(older), shownText(newer));
}

function shownText(page: PageBytes): string {
  const source = pageSource(page);
  if (!/^\s*</.test(source)) return source;
  return spacedText(parseMarkup(source, new TreeBounds('html')).root);
}
