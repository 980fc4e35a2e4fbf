/** Lines that are shown around a change. */
const around = 2;

/** The lines in which two texts differ, with two lines around them: `-` before those of the older, `+` before those of the newer. Empty where they are equal. */
export function lineDiff(older: string, newer: string): string {
  const [before, after] = [older.split('\n'), newer.split('\n')];
  const lines: string[] = [];
  let [x, y] = [0, 0];
  /** The last line of the older text that was shown. */
  let shown = -1;
  while (x < before.length || y < after.length) {
    if (x < before.length && before[x] === after[y]) {
      x += 1;
      y += 1;
      continue;
    }
    const [dx, dy] = nextCommon(before, after, x, y);
    for (let at = Math.max(shown + 1, x - around); at < x; at += 1) lines.push(`  ${before[at] ?? ''}`);
    for (; x < dx; x += 1) lines.push(`- ${before[x] ?? ''}`);
    for (; y < dy; y += 1) lines.push(`+ ${after[y] ?? ''}`);
    shown = x - 1;
    for (let at = x; at < Math.min(before.length, x + around) && before[at] === after[y + at - x]; at += 1) {
      lines.push(`  ${before[at] ?? ''}`);
      shown = at;
    }
  }
  return lines.join('\n');
}

/** The nearest lines from which on both texts are alike again. */
function nextCommon(
  before: readonly string[],
  after: readonly string[],
  x: number,
  y: number,
): readonly [number, number] {
  for (let sum = 1; sum <= before.length - x + (after.length - y); sum += 1)
    for (let dx = 0; dx <= sum; dx += 1) {
      const [i, j] = [x + dx, y + sum - dx];
      if (i < before.length && j < after.length && before[i] === after[j]) return [i, j];
    }
  return [before.length, after.length];
}
