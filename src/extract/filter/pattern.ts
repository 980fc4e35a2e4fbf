import { RE2JS } from 're2js';
import type { Value } from '../value/value.ts';
import { spend } from '../../work-budget.ts';
import { bounded } from './kind.ts';

/** A phrase for what is wrong with a pattern; undefined if it compiles. RE2 has no look-around, no back-reference and no repeat over 1,000. */
export function patternFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    // The compiler has no other way to say that a pattern is wrong.
    return error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
  }
}

/**
 * Compiles a pattern to a function that captures from a text: the first group, named groups as an object, or the whole match for a
 * pattern without groups. It gives `null` if nothing matches, and for a group that took no part. Throws if the pattern is not valid.
 */
export function capture(pattern: string): (text: string) => Value {
  const compiled = RE2JS.compile(pattern);
  const names = Object.keys(compiled.namedGroups());
  return (text) => {
    spend(searchSteps(compiled, text.length));
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return null;
    if (names.length > 0) return Object.fromEntries(names.map((name) => [name, matcher.group(name)]));
    return matcher.group(Math.min(1, compiled.groupCount()));
  };
}

/**
 * Compiles a pattern to a function that replaces every match. `$1`, `$<name>`, `$&` and `$$` in `to` mean what they do in JavaScript.
 * Throws if the pattern is not valid; the function throws a `FilterError` if the text gets too long.
 */
export function replaceAll(from: string, to: string): (text: string) => string {
  const compiled = RE2JS.compile(from);
  return (text) => {
    const matcher = compiled.matcher(text);
    let result = '';
    let copied = 0;
    spend(searchSteps(compiled, text.length));
    while (matcher.find()) {
      // Each search may go to the end of the text.
      spend(searchSteps(compiled, text.length - matcher.end()));
      const groups = Array.from({ length: compiled.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
      result = bounded(result + text.slice(copied, matcher.start()) + filled(to, groups, compiled.namedGroups()));
      copied = matcher.end();
    }
    return bounded(result + text.slice(copied));
  };
}

/** The work of searching so many characters: each may meet every instruction of the pattern. */
function searchSteps(pattern: RE2JS, units: number): number {
  return 200 + pattern.programSize() * units * 4;
}

function filled(to: string, groups: readonly string[], names: Readonly<Record<string, number>>): string {
  return to.replaceAll(/\$(?:(\$)|(&)|(\d{1,2})|<([^>]+)>)/g, (whole, dollar, all, digits, name) => {
    if (dollar !== undefined) return '$';
    if (all !== undefined) return groups[0] ?? '';
    if (name !== undefined) return groups[names[String(name)] ?? Number.NaN] ?? whole;
    const group = Number(digits);
    return group > 0 && group < groups.length ? (groups[group] ?? '') : whole;
  });
}
