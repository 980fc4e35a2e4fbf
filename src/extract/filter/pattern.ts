import { RE2JS } from 're2js';
import { checkedText } from '../../schema/checked-text.ts';
import type { Schemas } from '../value/field-type.ts';
import type { Value } from '../value/value.ts';
import { patternFault, spendSearch } from '../value/regex.ts';
import { bounded } from './kind.ts';

/** The schema of a regular expression of RE2, which takes as long as the text is long. */
export function patternOption(z: Schemas) {
  return checkedText(z, 'a regular expression of RE2', patternFault);
}

/**
 * Compiles a pattern to a function that captures from a text: the first group, named groups as an object, or the whole match for a
 * pattern without groups. It gives `null` if nothing matches, and for a group that took no part. Throws if the pattern is not valid.
 */
export function capture(pattern: string): (text: string) => Value {
  const compiled = RE2JS.compile(pattern);
  const names = Object.keys(compiled.namedGroups());
  return (text) => {
    spendSearch(compiled, text.length);
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return null;
    if (names.length > 0) return Object.fromEntries(names.map((name) => [name, matcher.group(name)]));
    return matcher.group(Math.min(1, compiled.groupCount()));
  };
}

/** Compiles patterns to a test of whether any of them is found in a text. Throws if one is not valid. */
export function anyFound(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) =>
    compiled.some((each) => {
      spendSearch(each, text.length);
      return each.matcher(text).find();
    });
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
    spendSearch(compiled, text.length);
    while (matcher.find()) {
      // Each search may go to the end of the text.
      spendSearch(compiled, text.length - matcher.end());
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
