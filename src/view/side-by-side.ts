import { differences } from './text-diff.ts';

/** A row of two texts side by side: a line of both, a line of one in place of a line of the other, or the number of lines left out. */
export type SideRow =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'differs'; readonly older?: string; readonly newer?: string }
  | { readonly kind: 'left-out'; readonly lines: number };

/** Lines of both texts that are shown around those that differ. */
const linesAround = 2;

/** The most lines that went and came together. A comparison that gives up there takes some 10 ms. */
const mostDifferences = 1_000;

/**
 * Puts two texts of markup side by side, with two lines around what differs. Empty where they are equal. Where more than 1,000 lines went and came,
 * all between the first and the last of them is taken as replaced.
 */
export function sideBySide(older: string, newer: string): readonly SideRow[] {
  const rows = pairs(older, newer);
  const isNear = (at: number): boolean =>
    rows.slice(Math.max(0, at - linesAround), at + linesAround + 1).some(({ kind }) => kind === 'differs');
  if (!rows.some(({ kind }) => kind === 'differs')) return [];
  const shown: SideRow[] = [];
  let leftOut = 0;
  for (const [at, row] of rows.entries()) {
    if (!isNear(at)) {
      leftOut += 1;
      continue;
    }
    if (leftOut > 0) shown.push({ kind: 'left-out', lines: leftOut });
    leftOut = 0;
    shown.push(row);
  }
  return leftOut > 0 ? [...shown, { kind: 'left-out', lines: leftOut }] : shown;
}

/** Pairs each line that went with the one that came in its place. */
function pairs(older: string, newer: string): readonly SideRow[] {
  const rows: SideRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  for (const { kind, text } of differences(linesOf(older), linesOf(newer), mostDifferences)) {
    if (kind === 'removed') removed.push(text);
    else if (kind === 'added') added.push(text);
    else {
      flush();
      rows.push({ kind: 'same', text });
    }
  }
  flush();
  return rows;

  function flush(): void {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [went, came] = [removed[at], added[at]];
      rows.push({
        kind: 'differs',
        ...(went !== undefined && { older: went }),
        ...(came !== undefined && { newer: came }),
      });
    }
    removed = [];
    added = [];
  }
}

/** The lines of markup, of which each element begins one, as many pages are written in a single line. */
function linesOf(markup: string): readonly string[] {
  return markup
    .replaceAll(/>\s*</g, '>\n<')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
