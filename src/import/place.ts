import { selectorFault } from '../extract/tree/selector.ts';
import { jsonPathFault } from '../extract/value/json-path.ts';
import { xpathFault } from '../extract/xpath/xpath.ts';

/** A selector, XPath or path of another tool as a place of a definition, or what is wrong with it there. */
export type Place =
  | { readonly ok: true; readonly by: 'css' | 'xpath' | 'json'; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** Longest place. */
export const placeLength = 1_000;

function checked(by: 'css' | 'xpath' | 'json', text: string, fault: string | undefined): Place {
  if (text.length > placeLength) return { ok: false, why: `it is longer than ${placeLength} characters` };
  return fault === undefined ? { ok: true, by, text } : { ok: false, why: fault };
}

/** Reads a CSS selector, with what soupsieve and jQuery have for texts in it. */
export function cssPlace(text: string): Place {
  const selector = text.trim().replaceAll(/:(?:-soup-contains|has-text)\(/g, ':contains(');
  return checked('css', selector, selectorFault(selector));
}

/** Reads an XPath, of version 1.0. */
export function xpathPlace(text: string): Place {
  const expression = text.trim();
  return checked('xpath', expression, xpathFault(expression));
}

/** Reads a JSON path, of RFC 9535. */
export function jsonPlace(text: string): Place {
  const path = text.trim();
  return checked('json', path, jsonPathFault(path));
}

/** Reads a filter of jq that does nothing but go down: `.a.b[0]`, `.items[].name`. */
export function jqPlace(text: string): Place {
  const filter = text.trim();
  const steps = Array.from(
    filter.matchAll(/\.?(?:\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|\[\]|([A-Za-z_]\w*)|"((?:[^"\\]|\\.)*)")\??/gy),
  );
  if (filter === '.') return jsonPlace('$');
  if (steps.length === 0 || steps.map(([whole]) => whole).join('') !== filter || !filter.startsWith('.'))
    return { ok: false, why: 'of jq only paths such as `.items[].name` have a counterpart, a JSON path' };
  const path = steps.map(([, quoted, index, name, text2]) => {
    const member = quoted ?? name ?? text2;
    return member !== undefined ? `["${member}"]` : index !== undefined ? `[${index}]` : '[*]';
  });
  return jsonPlace(`$${path.join('')}`);
}
