import type { Value } from '../draft.ts';

/** Longest text that is quoted when it could not be read, in characters. */
const quotedLength = 200;

/** A value as evidence shows it: in one line, and cut where it gets long. */
export function quoted(value: Value): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text
    .slice(0, quotedLength * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > quotedLength ? `${line.slice(0, quotedLength - 1)}…` : line;
}
