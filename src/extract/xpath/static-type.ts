import type { Expression } from './expression.ts';
import { functions, type ValueType } from './functions.ts';

/** Returns the type of an expression's value, which XPath 1.0 settles before anything runs. */
export function typeOf(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'number' ? 'number' : 'text';
    case 'negate':
      return 'number';
    case 'call':
      return functions.get(expression.name)?.gives ?? 'text';
    case 'path':
      return 'nodes';
    case 'binary':
      if (expression.operator === '|') return 'nodes';
      return /^(?:[-+*]|div|mod)$/.test(expression.operator) ? 'number' : 'boolean';
    default:
      return expression satisfies never;
  }
}

/** Whether a predicate depends on positions, so that `//a[…]` is not simply every `a` that fits. */
export function dependsOnPosition(predicate: Expression): boolean {
  return typeOf(predicate) === 'number' || asksPosition(predicate);
}

function asksPosition(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
      return false;
    case 'negate':
      return asksPosition(expression.of);
    case 'binary':
      return asksPosition(expression.left) || asksPosition(expression.right);
    case 'call':
      return expression.name === 'position' || expression.name === 'last' || expression.args.some(asksPosition);
    case 'path':
      // Predicates of its steps have positions of their own.
      return typeof expression.from === 'object' && asksPosition(expression.from.of);
    default:
      return expression satisfies never;
  }
}
