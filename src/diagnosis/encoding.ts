import { isGarbled } from '../health/text-shape.ts';
import type { Cause } from '../view/ticket.ts';
import { countOf } from './count-text.ts';
import type { PageLook } from './page.ts';

/** The least number of garbled words that say that a page is garbled, where it is not most of those with such letters. */
const leastWords = 3;

/** Recognises text whose characters were lost, or were read in another charset than they were written in, by the words of the last good page. */
export function encodingOf(good: PageLook | undefined, bad: PageLook): Cause | undefined {
  const now = unusualWords(bad.text);
  const before = unusualWords(good?.text ?? '');
  const isEnough = (words: readonly string[]): boolean =>
    words.length >= leastWords || (words.length > 0 && 2 * words.length >= before.length);
  const skeletons = new Set(before.map(skeletonOf));
  const lost = now.filter(
    (word) => word.includes('\u{fffd}') && (good === undefined || skeletons.has(skeletonOf(word))),
  );
  if (lost.length > before.filter((word) => word.includes('\u{fffd}')).length && isEnough(lost))
    return { kind: 'encoding', says: [`${countOf(lost.length, 'word')} lost their letters beyond ASCII`] };
  const known = new Set(before);
  const garbled = now.filter((word) => (good === undefined ? isGarbled(word) : isReadWrong(word, known)));
  if (garbled.length === 0 || !isEnough(garbled)) return undefined;
  return { kind: 'encoding', says: [`${countOf(garbled.length, 'word')} look like UTF-8 that was read as Latin-1`] };
}

/** The words of a text that are not of ASCII alone. */
function unusualWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[^\0-\x7f]/.test(word));
}

/** A word with one mark in place of letters beyond ASCII. */
function skeletonOf(word: string): string {
  return word.replaceAll(/[^\0-\x7f]+/g, '\u{fffd}');
}

/** Whether the octets of a word that was read as Latin-1 or Windows-1252 are one of the known words in UTF-8. */
function isReadWrong(word: string, known: ReadonlySet<string>): boolean {
  const octets = Array.from(word, (letter) => windowsOctets.get(letter) ?? letter.codePointAt(0) ?? 0);
  if (octets.some((octet) => octet > 0xff)) return false;
  const meant = Buffer.from(octets).toString('utf8');
  return meant !== word && known.has(meant);
}

/** The octets of the characters that Windows-1252 has in place of the control characters of Latin-1. */
const windowsOctets: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 0x20 }, (_, at) => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + at)),
    0x80 + at,
  ]),
);
