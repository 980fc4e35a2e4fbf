import { type Expression, typeOf } from './expression.ts';

/** Whether a predicate asks for a place among its siblings, so that `//a[…]` is not simply every `a` that fits. */
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
