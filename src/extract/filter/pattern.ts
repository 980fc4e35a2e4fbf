import { RE2JS } from 're2js';
import type { Value } from '../draft.ts';
import { bounded } from './bound.ts';

/** What is wrong with a pattern of RE2, if anything: it knows no look-around, no back-reference and no repeat over 1,000. */
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
 * What a pattern captures: its first group, named groups as an object, 1 for a pattern without groups; `null` where it
 * matches nothing, and for a group that took no part.
 */
export function capture(pattern: string): (text: string) => Value {
  const compiled = RE2JS.compile(pattern);
  const names = Object.keys(compiled.namedGroups());
  return (text) => {
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return null;
    if (names.length > 0) return Object.fromEntries(names.map((name) => [name, matcher.group(name)]));
    return compiled.groupCount() > 0 ? matcher.group(1) : 1;
  };
}

/** Replaces every match; `$1`, `$<name>`, `$&` and `$$` in `to` mean what they do in JavaScript. */
export function replaceAll(from: string, to: string): (text: string) => string {
  const compiled = RE2JS.compile(from);
  return (text) => {
    const matcher = compiled.matcher(text);
    let result = '';
    let copied = 0;
    while (matcher.find()) {
      const groups = Array.from({ length: compiled.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
      result = bounded(result + text.slice(copied, matcher.start()) + filled(to, groups, compiled.namedGroups()));
      copied = matcher.end();
    }
    return bounded(result + text.slice(copied));
  };
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
