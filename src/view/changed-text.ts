import { type DiffPart, differences, lineDiff, wordDiff } from './text-diff.ts';

/** Texts that are shorter together, in characters, are told whole: the eye finds the difference. */
const shownWhole = 80;

/** Words that are shown on each side of what has changed. */
const context = 4;

/**
 * Returns how two texts differ, word by word, with a few words around each difference, and `…` for the others. Undefined for texts that are told
 * better one after the other: short ones, and those without a word in common.
 *
 * @param least - the characters of both below which they are short; default: 80.
 * @param most - the words in which they differ at most, as in `wordDiff`.
 */
export function changedWords(
  older: unknown,
  newer: unknown,
  { least = shownWhole, most }: { readonly least?: number | undefined; readonly most?: number } = {},
): readonly DiffPart[] | undefined {
  if (typeof older !== 'string' || typeof newer !== 'string' || older.length + newer.length < least) return undefined;
  const parts = wordDiff(older, newer, most);
  if (!parts.some(({ kind }) => kind === 'same')) return undefined;
  return parts.map((part, index) =>
    part.kind === 'same' ? { kind: 'same', text: around(part.text, index === 0, index === parts.length - 1) } : part,
  );
}

/** Leaves out the middle of words that both texts have; at the ends of the texts, what is far from a difference. */
function around(text: string, isFirst: boolean, isLast: boolean): string {
  const words = text.split(' ');
  const before = isFirst ? 0 : context;
  const behind = isLast ? 0 : context;
  if (words.length <= before + behind + 1) return text;
  return [...words.slice(0, before), '…', ...words.slice(words.length - behind)].join(' ');
}

/**
 * Returns how two texts differ, as plain text: of texts with several lines, the lines that went and came, each behind `- ` or `+ `; of others `[-what went-]` and
 * `{+what came+}`, with a few words around. Undefined for values that are no texts, and for texts that are told better one after the other.
 */
export function changedText(older: unknown, newer: unknown): string | undefined {
  if (typeof older !== 'string' || typeof newer !== 'string') return undefined;
  if (!older.includes('\n') && !newer.includes('\n')) return changedWords(older, newer)?.map(markedWords).join(' ');
  return lineDiff(older, newer)
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, text }) => text.replaceAll(/^/gm, kind === 'removed' ? '- ' : '+ '))
    .join('\n');
}

/** Marks the words of one part: `[-went-]`, `{+came+}`. */
export function markedWords({ kind, text }: DiffPart): string {
  if (kind === 'same') return text;
  return kind === 'removed' ? `[-${text}-]` : `{+${text}+}`;
}

/** Lines that are shown around a change. */
const linesAround = 2;

const lineMarks = { same: ' ', removed: '-', added: '+' };

/** The lines in which two texts differ, with two lines around them: `-` before those of the older, `+` before those of the newer. Empty where they are equal. */
export function changedLines(older: string, newer: string): string {
  const lines = differences(older.split('\n'), newer.split('\n'));
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - linesAround), at + linesAround + 1).some(({ kind }) => kind !== 'same');
  return lines.flatMap(({ kind, text }, at) => (isNear(at) ? `${lineMarks[kind]} ${text}` : [])).join('\n');
}
