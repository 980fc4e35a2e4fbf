import { attributeOf, elementsIn } from '../node.ts';
import { nameOf, stringOf, type Tree, type XNode } from './tree.ts';
import { asBoolean, asNumber, asText, isNodes, type XValue } from './value.ts';

/** Where an expression is asked: a node, its place among those beside it, and how many these are. */
export interface Context {
  readonly node: XNode;
  readonly position: number;
  readonly size: number;
  readonly tree: Tree;
}

/** Gives what a function of XPath 1.0 does. Without an argument most of them take the context's node. */
export function callFunction(name: string, args: readonly XValue[], context: Context): XValue {
  const [first = [context.node], second = '', third] = args;
  switch (name) {
    case 'last':
      return context.size;
    case 'position':
      return context.position;
    case 'count':
      return isNodes(first) ? first.length : 0;
    case 'sum':
      return isNodes(first) ? first.reduce((sum, node) => sum + asNumber(stringOf(node)), 0) : 0;
    case 'id':
      return withIds(isNodes(first) ? first.map(stringOf).join(' ') : asText(first), context.tree);
    case 'name':
    case 'local-name': {
      const full = isNodes(first) && first[0] !== undefined ? nameOf(first[0]) : '';
      return name === 'name' ? full : full.slice(full.indexOf(':') + 1);
    }
    case 'string':
      return asText(first);
    case 'concat':
      return args.map(asText).join('');
    case 'starts-with':
      return asText(first).startsWith(asText(second));
    case 'contains':
      return asText(first).includes(asText(second));
    case 'substring-before':
    case 'substring-after':
      return besideText(asText(first), asText(second), name);
    case 'substring':
      return substring(asText(first), asNumber(second), third === undefined ? undefined : asNumber(third));
    case 'string-length':
      return Array.from(asText(first)).length;
    case 'normalize-space':
      return asText(first)
        .replaceAll(/[ \t\r\n]+/g, ' ')
        .replaceAll(/^ | $/g, '');
    case 'translate':
      return translate(asText(first), asText(second), asText(third ?? ''));
    case 'boolean':
      return asBoolean(first);
    case 'not':
      return !asBoolean(first);
    case 'true':
      return true;
    case 'false':
      return false;
    case 'number':
      return asNumber(first);
    case 'floor':
      return Math.floor(asNumber(first));
    case 'ceiling':
      return Math.ceil(asNumber(first));
    case 'round':
      return Math.round(asNumber(first));
    default:
      throw new RangeError(`expected a function of XPath, got "${name}"`);
  }
}

function besideText(text: string, mark: string, side: 'substring-before' | 'substring-after'): string {
  const at = text.indexOf(mark);
  if (at < 0) return '';
  return side === 'substring-before' ? text.slice(0, at) : text.slice(at + mark.length);
}

/** Characters count from 1; one is in when its place is at least the rounded start and below the rounded end. */
function substring(text: string, start: number, length: number | undefined): string {
  const from = Math.round(start);
  const to = length === undefined ? Number.POSITIVE_INFINITY : from + Math.round(length);
  return Array.from(text)
    .filter((_, index) => index + 1 >= from && index + 1 < to)
    .join('');
}

function translate(text: string, from: string, to: string): string {
  const targets = Array.from(to);
  const table = new Map<string, string>();
  for (const [index, char] of Array.from(from).entries()) {
    if (!table.has(char)) table.set(char, targets[index] ?? '');
  }
  return Array.from(text, (char) => table.get(char) ?? char).join('');
}

/** No document type is read, so an identifier is what an attribute `id` says. */
function withIds(text: string, { root }: Tree): readonly XNode[] {
  const wanted = new Set(text.split(/[ \t\r\n]+/).filter((id) => id !== ''));
  return Array.from(elementsIn(root)).filter((element) => wanted.has(attributeOf(element, 'id') ?? ''));
}
