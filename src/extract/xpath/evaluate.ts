import { spend } from '../../work-budget.ts';
import { callFunction, type CallContext } from './functions.ts';
import type { Expression, Path, LocationStep } from './expression.ts';
import { along, inOrder, passes, type Tree, type XNode } from './tree.ts';
import { asBoolean, asNumber, compare, isNodes, type XValue } from './value.ts';

/** The work of an expression, without that of what it finds. */
const expressionSteps = 20;

/** Evaluates an expression. Recursive in the expression, never in the page. Throws a `RangeError` for an unknown function, which the parser refuses. */
export function evaluateExpression(expression: Expression, context: CallContext): XValue {
  spend(expressionSteps);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'negate':
      return -asNumber(evaluateExpression(expression.of, context));
    case 'call':
      return callFunction(
        expression.name,
        expression.args.map((each) => evaluateExpression(each, context)),
        context,
      );
    case 'path':
      return follow(expression, context);
    case 'binary':
      return binary(expression, context);
    default:
      return expression satisfies never;
  }
}

function binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, context: CallContext): XValue {
  const first = evaluateExpression(left, context);
  if (operator === 'or' || operator === 'and')
    return asBoolean(first) === (operator === 'or') ? operator === 'or' : asBoolean(evaluateExpression(right, context));
  const second = evaluateExpression(right, context);
  switch (operator) {
    case '|':
      return inOrder([...nodesOf(first), ...nodesOf(second)], context.tree);
    case '+':
      return asNumber(first) + asNumber(second);
    case '-':
      return asNumber(first) - asNumber(second);
    case '*':
      return asNumber(first) * asNumber(second);
    case 'div':
      return asNumber(first) / asNumber(second);
    case 'mod':
      return asNumber(first) % asNumber(second);
    default:
      return compare(operator, first, second);
  }
}

function follow({ from, steps }: Path, context: CallContext): readonly XNode[] {
  const { tree } = context;
  let nodes: readonly XNode[];
  if (from === 'root') nodes = [tree.top];
  else if (from === 'context') nodes = [context.node];
  else
    nodes = from.predicates.reduce(
      (found, each) => kept(found, each, tree),
      nodesOf(evaluateExpression(from.of, context)),
    );
  for (const step of steps) nodes = taken(nodes, step, tree);
  return nodes;
}

const reverse: ReadonlySet<string> = new Set([
  'parent',
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
]);

function taken(nodes: readonly XNode[], step: LocationStep, tree: Tree): readonly XNode[] {
  const found = nodes.map((node) => stepFrom(node, step, tree));
  // From one node, and from many to what is theirs alone, page order is kept.
  if (found.length === 1 && !reverse.has(step.axis)) return found[0] ?? [];
  return step.axis === 'attribute' || step.axis === 'self' ? found.flat() : inOrder(found.flat(), tree);
}

/** The work of a location step, and of each node along its axis. */
const [stepSteps, nodeSteps] = [20, 8];

function stepFrom(node: XNode, { axis, test, predicates }: LocationStep, tree: Tree): readonly XNode[] {
  const found = along(axis, node, tree);
  spend(stepSteps + found.length * nodeSteps);
  const fitting = found.filter((each) => passes(each, test, axis));
  return predicates.reduce((found, predicate) => kept(found, predicate, tree), fitting);
}

function kept(nodes: readonly XNode[], predicate: Expression, tree: Tree): XNode[] {
  const size = nodes.length;
  return nodes.filter((node, index) => {
    const value = evaluateExpression(predicate, { node, position: index + 1, size, tree });
    return typeof value === 'number' ? value === index + 1 : asBoolean(value);
  });
}

function nodesOf(value: XValue): readonly XNode[] {
  return isNodes(value) ? value : [];
}
