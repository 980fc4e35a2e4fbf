import * as z from 'zod';
import { jsonPathFault } from '../extract/value/json-path.ts';
import { compileRecordCondition, conditionFault } from '../extract/value/record-condition.ts';
import { xpathFault } from '../extract/xpath/xpath.ts';
import { selectorFault } from '../extract/tree/selector.ts';
import { checkedText, textFault } from '../schema/checked-text.ts';
import { defined } from '../defined.ts';

/** A CSS selector that compiles here, and so on the extraction thread as well. */
export const Selector = checkedText(z, 'a CSS selector', selectorFault);

/** An expression of XPath 1.0. */
export const XPath = checkedText(z, 'an XPath', xpathFault);

const jsonPathName = 'a JSON path like "$.items[*]"';

/** A path of RFC 9535, such as `$.items[*]`. */
export const JsonPath = checkedText(z, jsonPathName, jsonPathFault);

/** A condition on the fields of a record, compiled; written as in a filter of a JSON path. */
export const RecordCondition = checkedText(z, 'a condition like "@.stock > 0"', conditionFault).transform(
  compileRecordCondition,
);

/** One place in its short form: a selector, an XPath or a JSON path, and perhaps an attribute. */
export interface ShortPlace {
  readonly css?: string;
  readonly xpath?: string;
  readonly json?: string;
  readonly attr?: string;
}

/** Parses a short form such as `div.product img @src`, `//a/@href`, `$.name`, `@href` and `.`. The last two name the present element, and give no place. */
export function shortPlace(text: string): ShortPlace {
  const [, before = '', attr] = /^(?:(.*?)\s+)?@([^\s"'<>/=@()[\]]+)\s*$/s.exec(text) ?? [undefined, text, undefined];
  const place = before.trim();
  const named = place === '' || place === '.' ? {} : { [languageOf(place)]: place };
  return { ...named, ...defined({ attr }) };
}

/** The language of a place: an XPath begins with `/`, `./`, `(` or a function such as `id(`, a JSON path with `$`; everything else is CSS. */
function languageOf(place: string): 'css' | 'xpath' | 'json' {
  if (/^(?:\.{0,2}\/|\(|[a-z][a-z-]*\()/.test(place)) return 'xpath';
  return place.startsWith('$') ? 'json' : 'css';
}

/** Returns a sentence for what is wrong with a short form; undefined if it is valid. */
export function shortFault(text: string): string | undefined {
  const { css, xpath, json } = shortPlace(text);
  if (text.trim() === '') return 'expected a CSS selector, an XPath or a JSON path, got ""';
  if (json?.startsWith('$(') === true) return textFault('a CSS selector', json, () => 'leave out "$(…)"');
  if (xpath !== undefined) return textFault('an XPath', xpath, xpathFault);
  if (json !== undefined) return textFault(jsonPathName, json, jsonPathFault);
  return css === undefined ? undefined : textFault('a CSS selector', css, selectorFault);
}
