import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/** Patterns that are kept compiled: more than the expressions of most daemons have. */
const compiled = new LRUCache<string, RE2JS>({ max: 1_000 });

/** The work of one search, at most: the size of the pattern's program times the length of the text. */
const maxWork = 1_000_000;

/**
 * Whether a pattern matches somewhere in a text, in time that grows with both alone. Throws a `RangeError` where that
 * would take too long, and an error where the pattern is not valid.
 */
export function like(text: string, pattern: string): boolean {
  const program = compiled.get(pattern) ?? RE2JS.compile(pattern);
  compiled.set(pattern, program);
  if (program.programSize() * text.length > maxWork) throw new RangeError('a text too long for its pattern');
  return program.matcher(text).find();
}
