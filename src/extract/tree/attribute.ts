import type { Element } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { attributeOf } from './nodes.ts';

function table(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    text.split(';').map((line) => {
      const [element = '', ...attributes] = line.trim().split(' ');
      return [element, new Set(attributes)];
    }),
  );
}

/** Attributes that hold an address, by element. */
const links = table(
  'a href; area href; base href; link href; xmp href; img src lowsrc longdesc usemap; script src for; iframe src longdesc; ' +
    'frame src longdesc; form action; isindex action; input src usemap; embed src pluginspage; object classid codebase data usemap; ' +
    'applet codebase code; blockquote cite; q cite; ins cite; del cite; body background; table background; tbody background; ' +
    'thead background; tfoot background; tr background; td background; th background; ilayer background; layer background src; ' +
    'bgsound src; head profile; source src; video src poster; audio src; track src',
);

/** Attributes that hold several, by element. */
const lists = table('img srcset; source srcset; object archive; applet archive; link imagesrcset');

/** Returns an attribute with its addresses made absolute; undefined if the element has none of that name. With an empty `base` it is returned as written. */
export function absoluteAttribute(element: Element, name: string, base: string): string | undefined {
  const value = attributeOf(element, name);
  if (value === undefined || base === '') return value;
  if (links.get(element.name)?.has(name) === true) return absolute(value, base);
  return lists.get(element.name)?.has(name) === true ? absoluteList(name, value, base) : value;
}

/** Any other scheme than the web's, such as `mailto:` or `data:`. */
const otherScheme = /^\s*(?!https?:)[a-z][a-z0-9+.-]*:/i;

/** The work of parsing an address, without that of its characters. */
const addressSteps = 300;

/** Makes an address absolute. A text that is no address is returned as written, and so is an address with another scheme than http and https. */
export function absolute(address: string, base: string): string {
  spend(addressSteps + address.length);
  return otherScheme.test(address) ? address : (URL.parse(address, base)?.href ?? address);
}

function absoluteList(name: string, value: string, base: string): string {
  if (name === 'archive') return value.replaceAll(/[^\s,]+/g, (address) => absolute(address, base));
  return candidatesOf(value)
    .map(([address, ...size]) => [absolute(address, base), ...size].join(' '))
    .join(', ');
}

/** The images of a `srcset`: an address that may hold commas but does not end in one, then perhaps a width or density. */
function candidatesOf(srcset: string): [string, ...string[]][] {
  const found: [string, ...string[]][] = [];
  const next = /[\s,]*(\S+)/y;
  for (let match = next.exec(srcset); match !== null; match = next.exec(srcset)) {
    const [, word = ''] = match;
    const address = word.replace(/,+$/, '');
    if (address === word) {
      const comma = srcset.indexOf(',', next.lastIndex);
      const end = comma < 0 ? srcset.length : comma;
      const size = srcset.slice(next.lastIndex, end).trim();
      next.lastIndex = end;
      found.push(size === '' ? [address] : [address, size]);
    } else if (address !== '') found.push([address]);
  }
  return found;
}
