import { type DateLexicon, mayPart, type Meaning } from './date-lexicon.ts';

/** A number, a known word or a sign of a text. */
export type Token =
  | { readonly kind: 'number'; readonly digits: string; readonly isSpaced: boolean }
  | { readonly kind: 'word'; readonly meanings: readonly Meaning[]; readonly isSpaced: boolean }
  | { readonly kind: 'sign'; readonly sign: string; readonly isSpaced: boolean };

/** Returns the tokens of a text; undefined if it holds anything else. */
export function tokensOf(written: string, { words, lengths, fold }: DateLexicon): readonly Token[] | undefined {
  const text = fold(written);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (text[at] === ' ') at += 1;
    const isSpaced = at > start;
    const digits = /^\d+/.exec(text.slice(at))?.[0];
    const word = digits === undefined ? wordAt(at, tokens.at(-1)?.kind === 'number') : undefined;
    if (digits !== undefined) tokens.push({ kind: 'number', digits, isSpaced });
    else if (word !== undefined) tokens.push({ kind: 'word', meanings: words.get(word) ?? [], isSpaced });
    else if (/[\p{L}\p{M}\p{N}\p{S}]/u.test(text.charAt(at)) && !'|+'.includes(text.charAt(at))) return undefined;
    else tokens.push({ kind: 'sign', sign: text.charAt(at), isSpaced });
    at += (digits ?? word ?? ' ').length;
  }
  return tokens;

  function wordAt(from: number, isCounted: boolean): string | undefined {
    for (const length of lengths) {
      const end = from + length;
      const word = text.slice(from, end);
      const meanings =
        end <= text.length && mayPart(text.charAt(end - 1), text.charAt(end)) ? words.get(word) : undefined;
      // Behind a number, "bulan lalu" is not last month.
      if (meanings?.some(({ kind }) => kind !== 'shift' || !isCounted)) return word;
    }
    return undefined;
  }
}
