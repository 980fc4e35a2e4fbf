/** A part of a text that both have, or that only the older or the newer one has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The default of the most differences. Its square is what a comparison takes: 2,000 are some 50 ms. */
const mostDifferences = 2_000;

/**
 * Compares two texts word by word: the smallest number of words removed and added. White space does not count.
 *
 * @param most - the most words that are removed and added together; texts that differ in more are told as replaced from the first difference to the last.
 */
export function wordDiff(older: string, newer: string, most = mostDifferences): readonly DiffPart[] {
  return joined(differences(wordsOf(older), wordsOf(newer), most), ' ');
}

/** Does the same line by line. White space at the ends of lines does not count, nor do blank lines. */
export function lineDiff(older: string, newer: string): readonly DiffPart[] {
  return joined(differences(linesOf(older), linesOf(newer)), '\n');
}

/** Compares two lists of words or lines, of which `most` are removed and added together at most, as in `wordDiff`. */
export function differences(
  from: readonly string[],
  to: readonly string[],
  most = mostDifferences,
): readonly DiffPart[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - start && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const middle = between(from.slice(start, from.length - tail), to.slice(start, to.length - tail), most);
  return [
    ...from.slice(0, start).map((text): DiffPart => ({ kind: 'same', text })),
    ...middle,
    ...from.slice(from.length - tail).map((text): DiffPart => ({ kind: 'same', text })),
  ];
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** How far along the older text so many differences lead at most, by diagonal, in their order from the lowest. */
type Furthest = Int32Array;

/** Myers' algorithm, which tries one difference more in each round. */
function between(from: readonly string[], to: readonly string[], most: number): readonly DiffPart[] {
  const rounds: Furthest[] = [];
  for (let round = 0; round <= Math.min(most, from.length + to.length); round += 1) {
    const before = rounds.at(-1);
    const furthest = new Int32Array(round + 1);
    for (let index = 0; index <= round; index += 1) {
      const diagonal = 2 * index - round;
      let x = before === undefined ? 0 : isDown(before, index) ? at(before, index) : at(before, index - 1) + 1;
      while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1;
      furthest[index] = x;
      if (x < from.length || x - diagonal < to.length) continue;
      return backwards(from, to, rounds);
    }
    rounds.push(furthest);
  }
  return [
    ...from.map((text): DiffPart => ({ kind: 'removed', text })),
    ...to.map((text): DiffPart => ({ kind: 'added', text })),
  ];
}

/** The way back from the ends of both texts, through the rounds before the last. */
function backwards(from: readonly string[], to: readonly string[], rounds: readonly Furthest[]): readonly DiffPart[] {
  const parts: DiffPart[] = [];
  let [x, y] = [from.length, to.length];
  for (let round = rounds.length; round > 0; round -= 1) {
    const before = rounds[round - 1] ?? new Int32Array();
    const index = (x - y + round) / 2;
    const down = isDown(before, index);
    const beforeX = down ? at(before, index) : at(before, index - 1);
    const beforeY = beforeX - (down ? x - y + 1 : x - y - 1);
    for (; x > beforeX + Number(!down); x -= 1) parts.push({ kind: 'same', text: from[x - 1] ?? '' });
    parts.push(down ? { kind: 'added', text: to[beforeY] ?? '' } : { kind: 'removed', text: from[beforeX] ?? '' });
    [x, y] = [beforeX, beforeY];
  }
  for (; x > 0; x -= 1) parts.push({ kind: 'same', text: from[x - 1] ?? '' });
  return parts.reverse();
}

/** Whether the diagonal at `index` is reached by a word that is added, from the diagonal above of the round before. */
function isDown(before: Furthest, index: number): boolean {
  return index === 0 || (index < before.length && at(before, index - 1) < at(before, index));
}

function at(furthest: Furthest, index: number): number {
  return furthest[index] ?? 0;
}

/** Joins words or lines of one kind that follow each other. */
function joined(units: readonly DiffPart[], by: string): readonly DiffPart[] {
  const parts: { kind: DiffPart['kind']; units: string[] }[] = [];
  for (const { kind, text } of units) {
    const last = parts.at(-1);
    if (last?.kind === kind) last.units.push(text);
    else parts.push({ kind, units: [text] });
  }
  return parts.map(({ kind, units: all }) => ({ kind, text: all.join(by) }));
}
