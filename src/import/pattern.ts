import { patternFault } from '../extract/value/regex.ts';

/** A text or pattern of another tool as a regular expression of RE2, or what is wrong with it there. */
export type Translated =
  | { readonly ok: true; readonly pattern: string; readonly spansLines: boolean }
  | { readonly ok: false; readonly why: string };

/** Longest pattern of a filter. */
export const patternLength = 1_000;

/** Reads `/pattern/flags`, or a text that is searched whatever its case, as changedetection.io does. */
export function wordOrPattern(text: string): Translated {
  const [, pattern, flags = ''] = /^\/(.*?)\/([a-z]*)$/s.exec(text) ?? [];
  if (pattern === undefined) return checked(`(?i:${escapedPattern(text.trim())})`, false);
  const known = (flags === '' ? 'i' : flags).replaceAll(/[^ims]/g, '');
  return checked(known === '' ? `(?:${pattern})` : `(?${known}:${pattern})`, /[ms]/.test(known));
}

/** Reads a pattern of Python. */
export function pythonPattern(pattern: string): Translated {
  return checked(pattern.replaceAll(/\\Z/g, String.raw`\z`), /\\n/.test(pattern));
}

function checked(pattern: string, spansLines: boolean): Translated {
  if (pattern.length > patternLength) return { ok: false, why: `it is longer than ${patternLength} characters` };
  const fault = patternFault(pattern);
  return fault === undefined
    ? { ok: true, pattern, spansLines }
    : { ok: false, why: `it is no regular expression of RE2, which runs in linear time: ${fault}` };
}

/** A text as a pattern that finds it. */
function escapedPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Parts patterns, in their order, into groups of which `anyOf` makes patterns that are no longer than a filter takes, with so many more characters around them. */
export function fittingGroups(patterns: readonly string[], around = 0): string[][] {
  const groups: string[][] = [];
  for (const each of patterns) {
    const last = groups.at(-1);
    if (last !== undefined && anyOf([...last, each]).length + around <= patternLength) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

/** Joins patterns to one that finds any of them. */
export function anyOf(patterns: readonly string[]): string {
  return patterns.length === 1 ? (patterns[0] ?? '') : `(?:${patterns.join('|')})`;
}

/** The number of groups in a pattern that capture. */
function groupsIn(pattern: string): number {
  return Array.from(pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?P?<(?![=!])/gs), ([each]) => each).filter(
    (each) => each.startsWith('('),
  ).length;
}

/**
 * The filters that leave of a text what patterns find, a line for each match.
 *
 * @param part - `groups` for what the groups of the patterns have, if they have some.
 */
export function findAll(patterns: readonly string[], part: 'groups' | 'whole'): readonly unknown[] {
  const any = anyOf(patterns);
  const groups = part === 'whole' ? 0 : groupsIn(any);
  const found = groups === 0 ? '$1' : Array.from({ length: groups }, (_, index) => `$${index + 2}`).join('');
  return [{ replace: { from: `(?s:.*?)(${any})|(?s:.+)`, to: `${found}\n` } }, 'lines'];
}
