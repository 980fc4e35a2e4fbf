/**
 * The name nearest to a mistyped one, or nothing when none is near: at most one edit in three letters, a swap of two
 * neighbours counting as one. Capitals do not matter; of equally near names the first counts.
 */
export function nearName(wrong: string, names: Iterable<string>): string | undefined {
  if (wrong.length > 64) return undefined;
  const allowed = Math.max(1, Math.floor(wrong.length / 3));
  let best: string | undefined;
  let bestEdits = allowed + 1;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) >= bestEdits) continue;
    const found = edits(wrong.toLowerCase(), name.toLowerCase());
    if (found < bestEdits) {
      best = name;
      bestEdits = found;
    }
  }
  return best;
}

/** Damerau and Levenshtein's distance in its restricted form: no letter is moved twice. */
function edits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const changed = (last[column - 1] ?? 0) + (same ? 0 : 1);
      let cost = Math.min(changed, (last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    beforeLast = last;
    last = next;
  }
  return last[to.length] ?? 0;
}

/** What is wrong with a name that nobody declared, with those that are declared and the one that may be meant. */
export function undeclared(what: 'record' | 'field', name: string, declared: readonly string[]): string {
  const near = nearName(name, declared);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return `expected a declared ${what} (${declared.join(', ')}), got "${name}"${hint}`;
}
