/**
 * Whether the whole of a text matches a pattern, in which `*` stands for any characters and `?` for one. Takes time in proportion to the
 * product of both lengths at most.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  /** The last `*` of the pattern so far, and the place in the text up to which it stands. */
  let [star, upTo] = [-1, 0];
  while (at < text.length) {
    const letter = pattern[next];
    if (letter === '*') {
      [star, upTo] = [next, at];
      next += 1;
    } else if (letter === '?' || letter === text[at]) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      upTo += 1;
      [at, next] = [upTo, star + 1];
    } else return false;
  }
  return pattern.slice(next).replaceAll('*', '') === '';
}
