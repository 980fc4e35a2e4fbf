import { type AnyNode, type Element, isTag, type ParentNode } from 'domhandler';
import type { Value } from '../value/value.ts';
import { attributeOf, elementsIn, namesIn, nextBeside, nextNode, textContent } from '../tree/nodes.ts';
import { joinsDigits } from '../tree/text.ts';
import type { EmbeddedKind } from './kind.ts';

/** All items of microdata in a page that are no property of another, as a list. */
export const microdata: EmbeddedKind = {
  compile:
    () =>
    (root, { base }) =>
      microdataItems(root, base),
};

/** How deep items may stand in items; deeper ones are left out. JSON may be nested to 64, and each item takes three levels. */
const maxDepth = 16;

/** Items of one page that are read. */
const maxItems = 10_000;

/** Nodes that are looked at for all items together: a page may refer to the same ones over and over. */
const maxVisits = 1_000_000;

/**
 * A page's microdata as the standard's JSON has it, but for `type` being a text where there is one: each item that is no
 * property of another as `{ type?, id?, props }`, each property a list of texts, absolute URLs and items.
 */
function microdataItems(root: ParentNode, base: string): Value {
  const byId = new Map<string, Element>();
  const tops: Element[] = [];
  for (const element of elementsIn(root)) {
    const id = attributeOf(element, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    const isTop = has(element, 'itemscope') && !has(element, 'itemprop');
    if (isTop && tops.length < maxItems) tops.push(element);
  }
  let left = maxItems;
  let visits = 0;
  return tops.flatMap((top) => itemOf(top, []) ?? []);

  function itemOf(element: Element, above: readonly Element[]): Value | undefined {
    if (above.length >= maxDepth || left <= 0) return undefined;
    left -= 1;
    const path = [...above, element];
    const props: Record<string, Value[]> = Object.create(null);
    for (const property of propertiesOf(element)) {
      if (has(property, 'itemscope') && path.includes(property)) continue;
      const value = has(property, 'itemscope') ? itemOf(property, path) : textOf(property, base);
      if (value === undefined) continue;
      for (const name of namesIn(attributeOf(property, 'itemprop'))) (props[name] ??= []).push(value);
    }
    const types = namesIn(attributeOf(element, 'itemtype'));
    const id = attributeOf(element, 'itemid');
    return {
      ...(types.length > 0 && { type: types.length === 1 ? (types[0] ?? '') : types }),
      ...(id !== undefined && { id: URL.parse(id, base)?.href ?? id }),
      props: { ...props },
    };
  }

  /** The elements that are properties of an item: below it or where its `itemref` points, but not below another item. */
  function propertiesOf(item: Element): Element[] {
    const starts: Element[] = namesIn(attributeOf(item, 'itemref')).flatMap((id) => byId.get(id) ?? []);
    const found = new Set<Element>();
    for (const start of [item, ...starts]) {
      let node: AnyNode | undefined = start;
      while (node !== undefined && visits < maxVisits) {
        visits += 1;
        const isInner: boolean = isTag(node) && node !== item && has(node, 'itemscope');
        if (isTag(node) && node !== item && has(node, 'itemprop')) found.add(node);
        node = isInner ? nextBeside(node, start) : nextNode(node, start);
      }
    }
    return [...found];
  }
}

/** Attributes that hold an address, by element. */
const addresses: ReadonlyMap<string, string> = new Map([
  ...['a', 'area', 'link'].map((name) => [name, 'href'] as const),
  ...['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video'].map((name) => [name, 'src'] as const),
  ['object', 'data'],
]);

function textOf(element: Element, base: string): string {
  const { name } = element;
  if (name === 'meta') return attributeOf(element, 'content') ?? '';
  const address = addresses.get(name);
  if (address !== undefined) {
    const url = attributeOf(element, address);
    return url === undefined ? '' : (URL.parse(url, base)?.href ?? '');
  }
  if (name === 'data' || name === 'meter') return attributeOf(element, 'value') ?? '';
  // Shops put the machine's form of a price into `content` of whatever element shows it.
  const content = attributeOf(element, 'content') ?? (name === 'time' ? attributeOf(element, 'datetime') : undefined);
  return (
    content ??
    textContent(element, joinsDigits(element) ? ' ' : '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}

function has(element: Element, name: string): boolean {
  return Object.hasOwn(element.attribs, name);
}
