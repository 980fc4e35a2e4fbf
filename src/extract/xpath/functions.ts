import { spend } from '../../work-budget.ts';
import { attributeOf, elementsIn } from '../tree/nodes.ts';
import { nameOf, stringOf, type Tree, type XNode } from './tree.ts';
import { asBoolean, asNumber, asText, isNodes, type XValue } from './value.ts';

/** The context of an expression: a node, its position in the list that is being filtered, and the length of that list. */
export interface CallContext {
  readonly node: XNode;
  readonly position: number;
  readonly size: number;
  readonly tree: Tree;
}

/** The type of a value, which XPath 1.0 settles before anything runs. */
export type ValueType = 'nodes' | 'boolean' | 'number' | 'text';

/** A function of XPath 1.0. */
interface XPathFunction {
  /** How many arguments it takes, at least and at most. */
  readonly takes: readonly [least: number, most: number];
  /** Whether its arguments must be paths. */
  readonly takesNodes?: true;
  readonly gives: ValueType;
  /** Its result; `first` is the context's node if it gets no argument. */
  call(first: XValue, second: XValue, context: CallContext, args: readonly XValue[]): XValue;
}

/** The functions of XPath 1.0 by name; `lang` and `namespace-uri` are not among them. */
export const functions: ReadonlyMap<string, XPathFunction> = new Map<string, XPathFunction>([
  ['last', { takes: [0, 0], gives: 'number', call: (_first, _second, { size }) => size }],
  ['position', { takes: [0, 0], gives: 'number', call: (_first, _second, { position }) => position }],
  ['count', { takes: [1, 1], gives: 'number', takesNodes: true, call: (nodes) => (isNodes(nodes) ? nodes.length : 0) }],
  ['sum', { takes: [1, 1], gives: 'number', takesNodes: true, call: sumOf }],
  ['id', { takes: [1, 1], gives: 'nodes', call: (ids, _second, { tree }) => withIds(ids, tree) }],
  ['name', { takes: [0, 1], gives: 'text', takesNodes: true, call: firstName }],
  [
    'local-name',
    { takes: [0, 1], gives: 'text', takesNodes: true, call: (nodes) => firstName(nodes).replace(/^[^:]*:/, '') },
  ],
  ['string', { takes: [0, 1], gives: 'text', call: asText }],
  ['concat', { takes: [2, 50], gives: 'text', call: (_first, _second, _context, args) => args.map(asText).join('') }],
  ['starts-with', { takes: [2, 2], gives: 'boolean', call: (text, start) => asText(text).startsWith(asText(start)) }],
  ['contains', { takes: [2, 2], gives: 'boolean', call: (text, part) => asText(text).includes(asText(part)) }],
  ['substring-before', { takes: [2, 2], gives: 'text', call: (text, mark) => beside(asText(text), asText(mark))[0] }],
  ['substring-after', { takes: [2, 2], gives: 'text', call: (text, mark) => beside(asText(text), asText(mark))[1] }],
  ['substring', { takes: [2, 3], gives: 'text', call: substring }],
  ['string-length', { takes: [0, 1], gives: 'number', call: (text) => Array.from(readText(text)).length }],
  ['normalize-space', { takes: [0, 1], gives: 'text', call: (text) => collapsed(readText(text)) }],
  ['translate', { takes: [3, 3], gives: 'text', call: translate }],
  ['boolean', { takes: [1, 1], gives: 'boolean', call: asBoolean }],
  ['not', { takes: [1, 1], gives: 'boolean', call: (value) => !asBoolean(value) }],
  ['true', { takes: [0, 0], gives: 'boolean', call: () => true }],
  ['false', { takes: [0, 0], gives: 'boolean', call: () => false }],
  ['number', { takes: [0, 1], gives: 'number', call: asNumber }],
  ['floor', { takes: [1, 1], gives: 'number', call: (value) => Math.floor(asNumber(value)) }],
  ['ceiling', { takes: [1, 1], gives: 'number', call: (value) => Math.ceil(asNumber(value)) }],
  ['round', { takes: [1, 1], gives: 'number', call: (value) => Math.round(asNumber(value)) }],
]);

/** Calls a function. Throws a `RangeError` for an unknown `name`. */
export function callFunction(name: string, args: readonly XValue[], context: CallContext): XValue {
  const [first = [context.node], second = ''] = args;
  const called = functions.get(name);
  if (called === undefined) throw new RangeError(`expected a function of XPath, got "${name}"`);
  const value = called.call(first, second, context, args);
  if (typeof value === 'string') spend(value.length);
  return value;
}

/** The work of each character of a text that is gone through. */
const unitSteps = 10;

/** The text of a value, for what goes through its characters. */
function readText(value: XValue): string {
  const text = asText(value);
  spend(text.length * unitSteps);
  return text;
}

function sumOf(nodes: XValue): number {
  return isNodes(nodes) ? nodes.reduce((sum, node) => sum + asNumber(stringOf(node)), 0) : 0;
}

function firstName(nodes: XValue): string {
  return isNodes(nodes) && nodes[0] !== undefined ? nameOf(nodes[0]) : '';
}

/** The parts of a text before and behind a mark; empty where the mark is not in it. */
function beside(text: string, mark: string): readonly [before: string, behind: string] {
  const at = text.indexOf(mark);
  return at < 0 ? ['', ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

function collapsed(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').replaceAll(/^ | $/g, '');
}

/** The part of a text from the rounded start on, as long as the rounded length; characters count from 1. */
function substring(text: XValue, start: XValue, _context: CallContext, [, , length]: readonly XValue[]): string {
  const from = Math.round(asNumber(start));
  const to = length === undefined ? Number.POSITIVE_INFINITY : from + Math.round(asNumber(length));
  return Array.from(readText(text))
    .filter((_, index) => index + 1 >= from && index + 1 < to)
    .join('');
}

function translate(text: XValue, from: XValue, _context: CallContext, [, , to = '']: readonly XValue[]): string {
  const targets = Array.from(readText(to));
  const table = new Map<string, string>();
  for (const [index, char] of Array.from(readText(from)).entries()) {
    if (!table.has(char)) table.set(char, targets[index] ?? '');
  }
  return Array.from(readText(text), (char) => table.get(char) ?? char).join('');
}

/** The elements whose attribute `id` is one of these: no document type is read, which could name other attributes. */
function withIds(ids: XValue, { root }: Tree): readonly XNode[] {
  const text = isNodes(ids) ? ids.map(stringOf).join(' ') : asText(ids);
  spend(text.length * unitSteps);
  const wanted = new Set(text.split(/[ \t\r\n]+/).filter((id) => id !== ''));
  return Array.from(elementsIn(root)).filter((element) => wanted.has(attributeOf(element, 'id') ?? ''));
}
