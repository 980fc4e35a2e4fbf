import type { ASTNode } from '@marcbachmann/cel-js';
import { patternFault } from '../extract/value/regex.ts';
import { undeclared } from '../schema/near-name.ts';
import { Duration } from '../schema/duration.ts';
import { Exact } from './exact.ts';
import { dayOf, instantOf } from './values.ts';

/** Something wrong at a place of an expression. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
  /** The offset in the text, from 0; missing for the whole text. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** Functions of one constant text: what it is to be, and what the function is given in its place. */
const constants: Readonly<Record<string, { readonly expected: string; of(text: string, zone: string): unknown }>> = {
  duration: { expected: 'a duration like "24h"', of: durationOf },
  timestamp: { expected: 'an instant like "2026-03-14T09:30:00Z"', of: (text) => instantOf(text)?.toISOString() },
  date: { expected: 'a day like "2026-03-14"', of: dayOf },
};

function durationOf(text: string): string | undefined {
  const { data } = Duration.safeParse(text);
  return data === undefined ? undefined : `${data}ms`;
}

/** Functions and methods, with the number of their arguments. */
const functions: ReadonlyMap<string, number> = new Map([
  ...Object.keys(constants).map((name) => [name, 1] as const),
  ['has', 1],
  ['size', 1],
  ['like', 2],
]);
const methods: ReadonlyMap<string, number> = new Map([
  ['startsWith', 1],
  ['endsWith', 1],
  ['contains', 1],
  ['lowerAscii', 0],
  ['size', 0],
]);

const operators: ReadonlySet<string> = new Set([
  '&&',
  '||',
  '!_',
  '-_',
  '?:',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '+',
  '-',
  '*',
  '/',
]);

/** The nodes below a node, in the order of the text. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case '.':
    case '.?':
      return [node.args[0]];
    case '!_':
    case '-_':
      return [node.args];
    case 'map':
      return node.args.flat();
    default:
      return node.args;
  }
}

/** All nodes of a tree, each before its parts. */
export function* nodesOf(root: ASTNode): Generator<ASTNode> {
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    open.push(...partsOf(next).toReversed());
  }
}

/** The names and the zone of an expression. */
export interface Scope {
  /** The fields that it may read. */
  readonly fields: readonly string[];
  /** What these are called where a name is none of them. Default: `field`. */
  readonly what?: 'field' | 'metric';
  /** The zone by whose clocks days begin. */
  readonly zone: string;
  /** Makes the node that looks for a field in the record. */
  fieldIn(name: string): ASTNode;
}

/**
 * Refuses what the language has not, and turns the constants of a tree into what operators take. Returns the
 * fields that it reads, each with its offset in the text. Throws an `ExpressionFault`.
 */
export function closeTree(root: ASTNode, scope: Scope): ReadonlyMap<string, number> {
  const { fields, what = 'field' } = scope;
  const used = new Map<string, number>();
  const set = new Set<ASTNode>();
  for (const node of nodesOf(root)) {
    switch (node.op) {
      case 'value':
        if (!set.has(node)) setConstant(node);
        break;
      case 'id':
        if (set.has(node)) break;
        if (node.args !== 'now' && !fields.includes(node.args))
          throw new ExpressionFault(undeclared(what, node.args, fields), node.start);
        used.set(node.args, node.start);
        break;
      case 'call':
        closeCall(node, scope, { set, used });
        break;
      case 'rcall':
        if (methods.get(node.args[0]) !== node.args[2].length) throw unknown(node, node.args[0], methods);
        break;
      case '.':
      case 'list':
        break;
      default:
        if (!operators.has(node.op)) throw new ExpressionFault(`expected no "${node.op}" here`, node.pos);
    }
  }
  used.delete('now');
  return used;
}

function closeCall(
  node: ASTNode & { readonly op: 'call' },
  { fields, zone, fieldIn }: Scope,
  { set, used }: { readonly set: Set<ASTNode>; readonly used: Map<string, number> },
): void {
  const [name, given] = node.args;
  if (functions.get(name) !== given.length) throw unknown(node, name, functions);
  const [first, second] = given;
  const constant = constants[name];
  if (name === 'has') {
    if (first?.op !== 'id' || !fields.includes(first.args))
      throw new ExpressionFault('expected has() with the name of a field', (first ?? node).start);
    used.set(first.args, first.start);
    given[0] = fieldIn(first.args);
    for (const each of nodesOf(given[0])) set.add(each);
  } else if (constant !== undefined) {
    const text = textOf(first);
    const value = text === undefined ? undefined : constant.of(text, zone);
    if (first === undefined || value === undefined)
      throw new ExpressionFault(`expected ${name}() with ${constant.expected}`, (first ?? node).start);
    Object.assign(first, { args: value });
    set.add(first);
  } else if (name === 'like') {
    const pattern = textOf(second);
    const fault = pattern === undefined ? 'it must stand here as a text' : patternFault(pattern);
    if (fault !== undefined) throw new ExpressionFault(`expected a pattern of RE2: ${fault}`, (second ?? node).start);
  }
}

function unknown(node: ASTNode, name: string, known: ReadonlyMap<string, number>): ExpressionFault {
  const count = known.get(name);
  const message =
    count === undefined
      ? `expected one of ${[...known.keys()].join(', ')}, got ${name}()${name === 'matches' ? '; write like(text, "…")' : ''}`
      : `expected ${count} argument${count === 1 ? '' : 's'} of ${name}()`;
  return new ExpressionFault(message, node.start);
}

/** The text of a constant; `undefined` for any other node. */
export function textOf(node: ASTNode | undefined): string | undefined {
  return node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

/** Turns the constant of a number into an exact one. */
function setConstant(node: ASTNode & { readonly op: 'value' }): void {
  const { args, input, start, end } = node;
  if (typeof args === 'string' || typeof args === 'boolean') return;
  const text = input.slice(start, end);
  const exact = typeof args === 'bigint' ? new Exact(args) : typeof args === 'number' ? Exact.of(text) : undefined;
  if (exact === undefined)
    throw new ExpressionFault(
      args === null ? 'expected has(field) in place of null' : `expected a number or a text, got ${text}`,
      start,
    );
  Object.assign(node, { args: exact });
}
