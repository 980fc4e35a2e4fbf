import { compile } from 'css-select';
import * as z from 'zod';
import { jsonPathFault } from '../extract/document/json-path.ts';
import { xpathFault } from '../extract/document/xpath.ts';

/** A CSS selector that compiles here, and so on the extraction thread as well. */
export const Selector = language('a CSS selector', selectorFault);

/** An expression of XPath 1.0. */
export const XPath = language('an XPath', xpathFault);

/** A path of RFC 9535, such as `$.items[*]`. */
export const JsonPath = language('a JSON path like "$.items[*]"', jsonPathFault);

/** A text in a language that some compiler knows; `fault` says what is wrong with it. */
function language(name: string, fault: (text: string) => string | undefined): z.ZodString {
  return z
    .string()
    .min(1)
    .max(1_000)
    .superRefine((text, context) => {
      const found = faultOf(name, text, fault);
      if (found !== undefined) context.addIssue({ code: 'custom', message: found, input: text });
    });
}

function faultOf(name: string, text: string, fault: (text: string) => string | undefined): string | undefined {
  const found = fault(text);
  return found === undefined ? undefined : `expected ${name}, got "${text}": ${found}`;
}

/** One place in its short form: a selector, an XPath or a JSON path, and perhaps an attribute. */
export interface ShortPlace {
  readonly css?: string;
  readonly xpath?: string;
  readonly json?: string;
  readonly attr?: string;
}

/** Reads `div.product img @src`, `//a/@href`, `$.name`, `@href` and `.`; nothing but the attribute stands for the present element. */
export function shortPlace(text: string): ShortPlace {
  const [, before = '', attr] = /^(?:(.*?)\s+)?@([^\s"'<>/=@()[\]]+)\s*$/s.exec(text) ?? [undefined, text, undefined];
  const place = before.trim();
  const named = place === '' || place === '.' ? {} : { [languageOf(place)]: place };
  return { ...named, ...(attr !== undefined && { attr }) };
}

/** What begins with `/` or `id(` is an XPath and what begins with `$` a JSON path; everything else is CSS. */
function languageOf(place: string): 'css' | 'xpath' | 'json' {
  if (/^(?:\/|id\()/.test(place)) return 'xpath';
  return place.startsWith('$') ? 'json' : 'css';
}

/** What is wrong with a short form, as a sentence. */
export function shortFault(text: string): string | undefined {
  const { css, xpath, json } = shortPlace(text);
  if (text.trim() === '') return 'expected a CSS selector, an XPath or a JSON path, got ""';
  if (xpath !== undefined) return faultOf('an XPath', xpath, xpathFault);
  if (json !== undefined) return faultOf('a JSON path like "$.items[*]"', json, jsonPathFault);
  return css === undefined ? undefined : faultOf('a CSS selector', css, selectorFault);
}

function selectorFault(text: string): string | undefined {
  if (/^\s*$/.test(text)) return 'it is empty';
  if (/:scope\b/.test(text) || /^\s*[>+~]/.test(text))
    return '":scope" and a combinator at the start have nothing to relate to';
  if (/[>+~]\s*$/.test(text)) return 'nothing follows the last combinator';
  const stray = strayMark(text);
  if (stray !== undefined) return `"${stray}" does not belong there`;
  try {
    compile(text);
    return undefined;
  } catch (error) {
    // The compiler has no other way to say that a selector is wrong.
    return error instanceof Error ? error.message : String(error);
  }
}

/** A mark that no selector holds outside of brackets and quotes, or a dot or hash without a name, which the compiler takes for names. */
function strayMark(text: string): string | undefined {
  const bare = text
    .replaceAll(/\\./gs, '_')
    .replaceAll(/"[^"]*"|'[^']*'/g, '')
    .replaceAll(/\[[^\]]*\]/g, '_');
  return /[&$@%!;{}?/]|[.#](?![\p{L}\p{N}_-])/u.exec(bare)?.[0];
}
