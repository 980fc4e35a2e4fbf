import { spend } from '../../work-budget.ts';

/** The work of escaping a character. */
const unitSteps = 12;

/** Characters that are markup wherever they stand; `_` within a word and `&` that begins no reference are not. */
const anywhere = /[\\`*[\]<~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w*(?:;|$))/g;

/** What is markup at the beginning of a line: a heading, an item, a quotation, a rule, an underline, the second line of a table. */
const atStart = /^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=:|](?=[-=:|\s]*$)|:-)/;

const numberAtStart = /^(\d{1,9})([.)])(?=\s|$)/;

/** Writes a text so that none of it is markup. */
export function escapedText(text: string, isLineStart: boolean): string {
  spend(text.length * unitSteps);
  const escaped = text.replaceAll(anywhere, String.raw`\$&`);
  if (!isLineStart) return escaped;
  return atStart.test(escaped) ? `\\${escaped}` : escaped.replace(numberAtStart, String.raw`$1\$2`);
}

/** Writes a character as a reference to it, which is punctuation to its neighbours. */
export function characterReference(character: string): string {
  return `&#${character.codePointAt(0) ?? 0};`;
}

/** Writes a text as it stands, between marks that are longer than any run of them in it. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text, '`') + 1);
  const pad = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** The length of the longest run of a character. */
export function longestRun(text: string, character: string): number {
  spend(text.length);
  let longest = 0;
  let run = 0;
  for (const each of text) {
    run = each === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Writes an address where markup has one. */
export function destination(url: string): string {
  spend(url.length * unitSteps);
  return url
    .trim()
    .replaceAll(
      /[\s()<>\\|]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
}
