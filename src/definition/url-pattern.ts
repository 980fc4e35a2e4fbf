import * as z from 'zod';
import { faultCheck } from '../schema/checked-text.ts';
import { got, withoutCredentials } from '../schema/expected.ts';
import { decoded } from '../schema/decoded.ts';

const placeholder = /\{([^{}]*)\}/g;
const nameForm = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Longest address, in characters: browsers, proxies and logs carry as many. */
export const maxUrlLength = 2_083;

/** An http or https address in which `{name}` stands for a parameter; placeholders are not allowed in scheme, host and port. */
export const UrlPattern = z.string().superRefine(faultCheck(patternFault));

/** The address of a page. */
export const HttpUrl = z
  .string()
  .trim()
  .superRefine(faultCheck((url) => urlFault(url)));

function patternFault(pattern: string): string | undefined {
  const wrong = placeholdersOf(pattern).find((name) => !nameForm.test(name));
  if (wrong !== undefined) return `expected placeholders like "{slug}", got "{${wrong}}"`;
  if (/[{}]/.test(pattern.replace(placeholder, '')))
    return `expected each "{" to be closed by a "}", got "${withoutCredentials(pattern)}"`;
  if (/^[a-z]+:\/\/[^/?#]*\{/i.test(pattern)) return 'expected no placeholder before the path: a source is one site';
  return urlFault(pattern.replace(placeholder, 'x'), pattern);
}

/** A sentence for what is wrong with the address of a page, without credentials; undefined if nothing is. `shown` is quoted in place of the text. */
function urlFault(text: string, shown = text): string | undefined {
  if (shown.length > maxUrlLength)
    return `expected an http or https URL of at most ${maxUrlLength} characters, got ${shown.length}`;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /\p{Cc}/u.test(text))
    return got(shown, 'an http or https URL');
  if (url.username === '' && url.password === '') return undefined;
  return "expected an http or https URL without user name and password: they belong under `auth` in the source's definition, as names of secrets";
}

/** Whether `text` is an absolute http or https URL without user name and password. */
export function isHttpUrl(text: string): boolean {
  return urlFault(text) === undefined;
}

/** Returns the names of the placeholders in a pattern, in order of appearance, each once. */
export function placeholdersOf(pattern: string): string[] {
  return [...new Set(Array.from(pattern.matchAll(placeholder), ([, name = '']) => name))];
}

/** A filled pattern, or the names of parameters that are missing and of those that it does not have. */
export type FilledUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly missing: readonly string[]; readonly unknown: readonly string[] };

/**
 * Replaces the placeholders of a pattern by parameters, percent-encoded, so that a value can add no path, query or host. An empty
 * value counts as missing, and so do `.` and `..`, which would lead to another path.
 */
export function fillUrl(pattern: string, params: Readonly<Record<string, string>>): FilledUrl {
  const names = placeholdersOf(pattern);
  const given = new Map(Object.entries(params));
  const missing = names.filter((name) => /^\.{0,2}$/.test(given.get(name) ?? ''));
  const unknown = [...given.keys()].filter((name) => !names.includes(name));
  if (missing.length > 0 || unknown.length > 0) return { ok: false, missing, unknown };
  return {
    ok: true,
    url: pattern.replaceAll(placeholder, (_, name: string) =>
      encodeURIComponent((given.get(name) ?? '').toWellFormed()),
    ),
  };
}

/**
 * Finds the parameters with which `pattern` gives `url`, whatever the spelling of the address; undefined if there are none. No
 * parameter holds `/`, `?`, `#` or `&` unless encoded.
 */
export function matchUrl(pattern: string, url: string): Record<string, string> | undefined {
  const names: string[] = [];
  const form = normalPattern(pattern).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    const earlier = names.indexOf(part);
    if (earlier >= 0) return `(?:\\${earlier + 1})`;
    names.push(part);
    return '([^/?#&]+?)';
  });
  const found = new RegExp(`^${form.join('')}$`).exec(normalUrl(url));
  if (found === null) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1] ?? '')]));
}

/** A pattern as URLs are spelt, cut at its placeholders: every second part is the name of one. */
function normalPattern(pattern: string): string[] {
  // A word that spelling leaves alone and no pattern holds stands for the braces meanwhile.
  const mark = `x${'z'.repeat(longestRun(pattern) + 1)}x`;
  const marked = pattern.replaceAll(placeholder, (_, name: string) => `${mark}${name}${mark}`);
  return normalUrl(marked).split(mark);
}

/**
 * A URL in the spelling of browsers, with apostrophes encoded: browsers encode them in a query and not in a path, and a
 * parameter may stand in both.
 */
function normalUrl(url: string): string {
  return (URL.parse(url)?.href ?? url).replaceAll("'", '%27');
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/z+/gi), ([run]) => run.length));
}

/** An URL without its query and fragment, where sites put tokens. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'an address that is none' : `${parsed.origin}${parsed.pathname}`;
}

const parameter = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** Returns the names of the parameters in a text that is no address, each once. Braces around anything else stand for themselves. */
export function parametersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(parameter), ([, name = '']) => name))];
}

/** Replaces the parameters in a text that is no address. */
export function fillText(text: string, params: Readonly<Record<string, string>>): string {
  return text.replaceAll(parameter, (_, name: string) => params[name] ?? '');
}
