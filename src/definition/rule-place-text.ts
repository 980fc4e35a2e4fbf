import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../schema/mapping.ts';
import type { RepairPlace } from '../view/repair.ts';
import { shortPlace } from './selector.ts';

/** Keys of a rule that say where its value is. */
const whereKeys: ReadonlySet<string> = new Set(['css', 'xpath', 'json', 'meta', 'const', 'page', 'in', 'from', 'attr']);

/** The keys of a place as a definition has them; of the present element, its text. */
export function placeKeysOf({ column, ...place }: RepairPlace): Readonly<Record<string, unknown>> {
  const keys = { ...(column !== undefined && { from: { column } }), ...place };
  return Object.keys(keys).length === 0 ? { take: 'text' } : keys;
}

/** A place in its short form, such as `.price` or `a @href`; `undefined` for one that has none. */
function shortFormOf(place: RepairPlace): string | undefined {
  const { css, xpath, json, attr } = place;
  const text = [css ?? xpath ?? json ?? '', ...(attr === undefined ? [] : [`@${attr}`])].join(' ').trim() || '.';
  return isDeepStrictEqual({ ...shortPlace(text) }, { ...place }) ? text : undefined;
}

/** The rule that a definition has once a repair has given it a place: its only one, or one more before its alternatives. */
export function withPlace(rule: unknown, place: RepairPlace): unknown {
  if (Array.isArray(rule)) {
    // In a list of rules, a later one that matches counts.
    const rules: readonly unknown[] = rule;
    return [...rules, withPlace(rules.at(-1), place)];
  }
  if (!isMapping(rule)) return shortFormOf(place) ?? placeKeysOf(place);
  const any: unknown = rule['any'];
  if (Array.isArray(any)) return { ...rule, any: [alternative(any[0], place), ...(any as readonly unknown[])] };
  return { ...placeKeysOf(place), ...withoutPlace(rule, place) };
}

/** An alternative with what the first one says beside its place. */
export function alternative(first: unknown, place: RepairPlace): unknown {
  const beside = isMapping(first) ? withoutPlace(first, place) : {};
  return Object.keys(beside).length === 0
    ? (shortFormOf(place) ?? placeKeysOf(place))
    : { ...placeKeysOf(place), ...beside };
}

/** Whether a key of a rule goes with its place: how text is taken says nothing of an attribute. */
export function goesWithPlace(key: string, place: RepairPlace): boolean {
  return whereKeys.has(key) || (key === 'take' && place.attr !== undefined);
}

function withoutPlace(rule: Readonly<Record<string, unknown>>, place: RepairPlace): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rule).filter(([key]) => !goesWithPlace(key, place)));
}

/** Words that YAML reads as something other than a text. */
const keywords = /^(?:true|false|null|yes|no|on|off|\.inf|\.nan)$/i;

/** A value in YAML, on one line, so that it may stand in braces as well. */
export function yamlText(value: unknown): string {
  if (typeof value === 'string') {
    if (/^(?:[A-Za-z]|\.[A-Za-z_-])(?:[\w .>-]*[\w-])?$/.test(value) && !keywords.test(value)) return value;
    return /[\p{Cc}]/u.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
  }
  if (Array.isArray(value)) return `[${value.map(yamlText).join(', ')}]`;
  if (isMapping(value))
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${yamlText(key)}: ${yamlText(each)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}
