/** The beginning of a page that gave no record, with what all of the page says of whether it came in another's place. */
export interface Excerpt {
  readonly text: string;
  /** Whether nothing was cut off. */
  readonly isWhole: boolean;
  /** Whether the whole page is known to have fewer than `fewLinks` links. */
  readonly hasFewLinks: boolean;
}

/** Enough to tell a challenge or a log-in from content. */
export const maxExcerptUnits = 8_192;

/** Enough of a body for that, whatever its charset. */
export const headBytes = 4 * maxExcerptUnits;

/** The pages of a site link to each other; a challenge links to who made it, and to some help. */
export const fewLinks = 10;

/** The excerpt of a page. Where its text `isCut` already, nobody knows what else stands there. */
export function takeExcerpt(text: string, { isCut = false }: { readonly isCut?: boolean } = {}): Excerpt {
  return {
    text: text.slice(0, maxExcerptUnits),
    isWhole: !isCut && text.length <= maxExcerptUnits,
    hasFewLinks: !isCut && !hasManyLinks(text),
  };
}

function hasManyLinks(text: string): boolean {
  // Without a `<` within, no two tries go over the same text: a page that is made for it takes no longer.
  const link = /<a\s[^<>]*?\bhref/gi;
  for (let links = 0; links < fewLinks; links += 1) {
    if (!link.test(text)) return false;
  }
  return true;
}
