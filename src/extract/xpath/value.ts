import { spend } from '../../work-budget.ts';
import { plainText } from '../value/plain-text.ts';
import type { Comparison } from './expression.ts';
import { stringOf, type XNode } from './tree.ts';

/** The value of an expression: nodes in page order, a text, a number or a boolean. */
export type XValue = readonly XNode[] | string | number | boolean;

/** Whether a value is a set of nodes. */
export function isNodes(value: XValue): value is readonly XNode[] {
  return Array.isArray(value);
}

/** Converts a value to text; of nodes, the first counts. */
export function asText(value: XValue): string {
  if (isNodes(value)) return value[0] === undefined ? '' : stringOf(value[0]);
  return plainText(value) ?? String(value);
}

/** Converts a value to a number; NaN for a text that is none. */
export function asNumber(value: XValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const text = asText(value).trim();
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}

/** Converts a value to a boolean: a set of nodes is true unless it is empty. */
export function asBoolean(value: XValue): boolean {
  if (isNodes(value)) return value.length > 0;
  return typeof value === 'number' ? value !== 0 && !Number.isNaN(value) : value !== false && value !== '';
}

/** Compares two values. A comparison with nodes is true if it is for any of them. */
export function compare(operator: Comparison, left: XValue, right: XValue): boolean {
  if (typeof left === 'boolean' || typeof right === 'boolean') {
    if (operator === '=' || operator === '!=') return (asBoolean(left) === asBoolean(right)) === (operator === '=');
  }
  if (operator === '=') return overlap(left, right);
  if (operator === '!=') return differ(left, right);
  const [lefts, rights] = [numbersOf(left), numbersOf(right)];
  if (lefts.length === 0 || rights.length === 0) return false;
  // Of all pairs the one farthest apart fits if any does.
  switch (operator) {
    case '<':
      return least(lefts) < most(rights);
    case '<=':
      return least(lefts) <= most(rights);
    case '>':
      return most(lefts) > least(rights);
    case '>=':
      return most(lefts) >= least(rights);
    default:
      return operator satisfies never;
  }
}

function least(all: readonly number[]): number {
  return all.reduce((a, b) => Math.min(a, b));
}

function most(all: readonly number[]): number {
  return all.reduce((a, b) => Math.max(a, b));
}

function numbersOf(value: XValue): number[] {
  if (isNodes(value)) spend(value.length * comparedSteps);
  const numbers = isNodes(value) ? value.map((node) => asNumber(stringOf(node))) : [asNumber(value)];
  return numbers.filter((each) => !Number.isNaN(each));
}

/** The work of comparing what a node says. */
const comparedSteps = 15;

/** Both sides as what they are compared as: numbers where one of them is a number, else texts. */
function sides(left: XValue, right: XValue): readonly [Set<string | number>, Set<string | number>] {
  const isNumeric = typeof left === 'number' || typeof right === 'number';
  const [lefts, rights] = [left, right].map((side) => {
    if (isNodes(side)) spend(side.length * comparedSteps);
    const each = isNodes(side) ? side.map(stringOf) : [side];
    return new Set(each.map((one) => (isNumeric ? asNumber(one) : asText(one))));
  });
  return [lefts ?? new Set(), rights ?? new Set()];
}

function overlap(left: XValue, right: XValue): boolean {
  const [lefts, rights] = sides(left, right);
  return [...lefts].some((each) => rights.has(each) && !Number.isNaN(each));
}

/** Whether two values differ as `!=` has it: NaN differs from everything, itself included. */
function differ(left: XValue, right: XValue): boolean {
  const [lefts, rights] = sides(left, right);
  if (lefts.size === 0 || rights.size === 0) return false;
  const all = new Set([...lefts, ...rights]);
  return all.size > 1 || [...all].some(Number.isNaN);
}
