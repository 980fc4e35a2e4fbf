import { spend } from '../../work-budget.ts';
import { parseMarkup } from './markup.ts';
import { TreeBounds } from './parts.ts';
import { spacedText } from './text.ts';

/** Longest markup that is read, in characters: a title of that length is none. */
const maxUnits = 10_000;

/** The work of reading each character. */
const unitSteps = 100;

/** Returns what a reader sees of a piece of HTML: its text without tags, with spaces where blocks part words. Longer markup than 10,000 characters is returned as written. */
export function textOfMarkup(markup: string): string {
  if (markup.length > maxUnits || !/[<&]/.test(markup)) return markup;
  spend(markup.length * unitSteps);
  const { root } = parseMarkup(markup, new TreeBounds('html'));
  return spacedText(root)
    .replaceAll(/[ \t\n\r\f]+/g, ' ')
    .trim();
}

/** Elements that stand within a line of text, with those that people put around one. */
const known: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big center cite code del dfn div em font h1 h2 h3 h4 h5 h6 i ins kbd li mark nobr p q s samp small ' +
    'span strike strong sub sup time tt u ul ol var'
  ).split(' '),
);
const empty: ReadonlySet<string> = new Set(['br', 'img', 'wbr', 'hr']);

/**
 * Whether a text that may be markup or not is markup: all that look like tags are of HTML, and each that begins ends; without tags,
 * that it has a character reference. `the <blink> tag` and `a <b> tag` are none, as a tag in them begins and does not end.
 */
export function looksMarkedUp(text: string): boolean {
  if (text.length > maxUnits || !/[<&]/.test(text)) return false;
  const open: string[] = [];
  for (const [, slash, written = '', behind = ''] of text.matchAll(/<(\/?)([a-z][a-z\d]*)([^<>]*)>/gi)) {
    const name = written.toLowerCase();
    if (empty.has(name) || (behind.endsWith('/') && known.has(name))) continue;
    if (!known.has(name)) return false;
    if (slash !== '/') open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0 && /<\/?[a-z]|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i.test(text);
}
