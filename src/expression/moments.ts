import type { ASTNode } from '@marcbachmann/cel-js';
import { dayStart } from '../schedule/time/zone.ts';
import { ExpressionFault, nodesOf, partsOf, textOf } from './tree.ts';
import { Day } from './values.ts';

/** A comparison that depends on the present. */
export interface Moment {
  readonly left: ASTNode;
  readonly right: ASTNode;
}

const comparing: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/**
 * The comparisons of a tree that depend on the present. Each side is made of `now`, fields, constants, `+` and `-` alone,
 * so that the instants are known at which a comparison may change. Throws an `ExpressionFault` where `now` stands elsewhere.
 */
export function momentsOf(root: ASTNode): readonly Moment[] {
  const moments: Moment[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [left, right] = partsOf(node);
    if (left !== undefined && right !== undefined && comparing.has(node.op) && dependsOnNow(node)) {
      for (const side of [left, right]) for (const part of nodesOf(side)) refuseUnlessLinear(part);
      moments.push({ left, right });
    } else if (node.op === 'id' && node.args === 'now')
      throw new ExpressionFault('expected `now` in a comparison, as in ends < now', node.start);
    else open.push(...partsOf(node));
  }
  return moments;
}

function dependsOnNow(node: ASTNode): boolean {
  return [...nodesOf(node)].some((each) => each.op === 'id' && each.args === 'now');
}

function refuseUnlessLinear(node: ASTNode): void {
  if (!['id', 'value', 'call', '+', '-'].includes(node.op) || (node.op === 'call' && node.args[0] === 'size'))
    throw new ExpressionFault('expected only fields, constants, + and - beside `now`', node.start);
}

/** A side of a comparison: so many times the present, and so many milliseconds; or a day. */
type Side = { readonly nows: number; readonly ms: number } | Day;

/**
 * The instants at which a comparison may change, for a record's values; there are none where one of its values is not known. At each, it
 * may change at that millisecond or at the next one.
 */
export function changesOf({ left, right }: Moment, values: Readonly<Record<string, unknown>>): readonly number[] {
  const [one, other] = [sideOf(left, values), sideOf(right, values)];
  if (one === undefined || other === undefined) return [];
  if (one instanceof Day) return other instanceof Day ? [] : changesOfDay(one, other);
  if (other instanceof Day) return changesOfDay(other, one);
  return solved({ nows: one.nows - other.nows, ms: one.ms - other.ms }, 0);
}

/** When an instant that depends on the present comes to the beginning or to the end of a day. */
function changesOfDay({ zone, number }: Day, side: Exclude<Side, Day>): readonly number[] {
  return [number, number + 1].flatMap((day) => solved(side, dayStart(zone, day)));
}

/** The present at which a side has a value. */
function solved({ nows, ms }: Exclude<Side, Day>, value: number): readonly number[] {
  return nows === 0 ? [] : [Math.floor((value - ms) / nows)];
}

function sideOf(node: ASTNode, values: Readonly<Record<string, unknown>>): Side | undefined {
  switch (node.op) {
    case 'id':
      return node.args === 'now' ? { nows: 1, ms: 0 } : constant(values[node.args]);
    case 'call': {
      const [given] = node.args[1];
      const text = textOf(given);
      if (text === undefined) return given?.op === 'value' ? constant(given.args) : undefined;
      return node.args[0] === 'duration' ? { nows: 0, ms: Number.parseInt(text, 10) } : constant(new Date(text));
    }
    case '+':
    case '-': {
      const sign = node.op === '+' ? 1 : -1;
      const [left, right] = node.args.map((each) => sideOf(each, values));
      if (left === undefined || right === undefined || left instanceof Day || right instanceof Day) return undefined;
      return { nows: left.nows + sign * right.nows, ms: left.ms + sign * right.ms };
    }
    default:
      return undefined;
  }
}

function constant(value: unknown): Side | undefined {
  if (value instanceof Day) return value;
  return value instanceof Date ? { nows: 0, ms: value.getTime() } : undefined;
}
