import type { Value } from '../draft.ts';
import { plainText } from '../value/plain-text.ts';
import { quoted } from '../value/quoted.ts';
import { FilterError } from './error.ts';

/** Longest text that a filter makes, in characters: more than a value may have in the end, since a later filter may cut it. */
export const maxText = 1_000_000;

/** Most elements of a list that a filter makes. */
export const maxElements = 10_000;

/** The text that a filter works on. */
export function textFor(value: Value): string {
  const text = plainText(value);
  if (text === undefined) throw new FilterError(quoted(value), 'text');
  return text;
}

export function bounded(text: string): string {
  if (text.length > maxText) throw new FilterError(quoted(text), `at most ${maxText} characters after a filter`);
  return text;
}
