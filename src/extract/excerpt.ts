import type { Page } from '../fetch/page.ts';
import { decodeBody } from './decode.ts';

/** The beginning of a page that gave no record. It serves to tell whether a challenge or a log-in was served instead of the page. */
export interface Excerpt {
  readonly text: string;
  /** Whether nothing was cut off. */
  readonly isWhole: boolean;
  /** Whether the whole page is known to have fewer than `fewLinks` links. */
  readonly hasFewLinks: boolean;
}

/** Longest excerpt, in UTF-16 units: enough to tell a challenge or a log-in from content. */
export const maxExcerptUnits = 8_192;

/** Bytes of a body that hold `maxExcerptUnits` in any charset. */
const headBytes = 4 * maxExcerptUnits;

/** A page with fewer links has few: the pages of a site link to each other, a challenge to its maker and to some help. */
export const fewLinks = 10;

/** Makes the excerpt of a page from its text. If the text was cut off before (`isCut`), neither its end nor its number of links is known. */
export function takeExcerpt(text: string, { isCut = false }: { readonly isCut?: boolean } = {}): Excerpt {
  return {
    text: text.slice(0, maxExcerptUnits),
    isWhole: !isCut && text.length <= maxExcerptUnits,
    hasFewLinks: !isCut && !hasManyLinks(text),
  };
}

/** Copies the head of a page whose body is about to move to a thread. Returns a function that makes the excerpt from the copy. */
export function keepExcerpt({ body, headers }: Pick<Page, 'body' | 'headers'>): () => Excerpt {
  const head = new Uint8Array(body.slice(0, headBytes));
  const isCut = body.byteLength > headBytes;
  return () => takeExcerpt(decodeBody(head, headers['content-type']), { isCut });
}

function hasManyLinks(text: string): boolean {
  // Without a `<` within, no two tries go over the same text: a page that is made for it takes no longer.
  const link = /<a\s[^<>]*?\bhref/gi;
  for (let links = 0; links < fewLinks; links += 1) {
    if (!link.test(text)) return false;
  }
  return true;
}
