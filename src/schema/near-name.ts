/**
 * Finds the name nearest to a mistyped one; undefined if none is near. A near one has at most one edit in three letters, a swap of two
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

/** Returns the end of a message about a mistyped name: it suggests a near name if there is one, else it is `otherwise`. */
export function didYouMean(wrong: string, names: Iterable<string>, otherwise = ''): string {
  const near = nearName(wrong, names);
  return near === undefined ? otherwise : `; did you mean "${near}"?`;
}

/** Returns the message for an undeclared name: it lists the declared names and suggests a near one. */
export function undeclared(what: 'record' | 'field' | 'metric', name: string, declared: readonly string[]): string {
  return `expected a declared ${what} (${declared.join(', ')}), got "${name}"${didYouMean(name, declared)}`;
}
