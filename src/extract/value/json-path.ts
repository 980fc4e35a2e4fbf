import { createRequire } from 'node:module';
import type * as JsonP3 from 'json-p3';
import { isList, type Value } from './value.ts';
import { spend } from '../../work-budget.ts';

const require = createRequire(import.meta.url);

type Segment = JsonP3.JSONPathQuery['segments'][number];
type Selector = Segment['selectors'][number];
type Expression = JsonP3.jsonpath.expressions.FilterExpression;

/** Functions that take as long as the values are large; the others of the RFC match patterns of JavaScript, which may take for ever. */
const functions: readonly string[] = ['length', 'count', 'value'];

/** The library and its parser. Loaded at first use, as most plans have no path. */
let loaded: { readonly library: typeof JsonP3; readonly environment: JsonP3.JSONPathEnvironment } | undefined;

function jsonPaths(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded;
  const library: typeof JsonP3 = require('json-p3');
  const environment = new library.JSONPathEnvironment();
  const checkArguments = environment.checkWellTypedness.bind(environment);
  environment.checkWellTypedness = (token, args) => {
    const fault = functionFault(token.value);
    if (fault !== undefined) throw new SyntaxError(fault);
    return checkArguments(token, args);
  };
  loaded = { library, environment };
  return loaded;
}

function functionFault(name: string): string | undefined {
  if (functions.includes(name)) return undefined;
  return name === 'match' || name === 'search'
    ? `${name}() is not available: take all values and use a regex filter`
    : `there is no function "${name}", expected one of ${functions.join(', ')}`;
}

/** Finds all values at a path, in the order of RFC 9535. */
export type FindValues = (value: Value) => readonly Value[];

/** Compiles a path. Throws a `SyntaxError` for a path of which `jsonPathFault` names a fault. */
export function compileJsonPath(path: string): FindValues {
  const fault = jsonPathFault(path);
  if (fault !== undefined) throw new SyntaxError(`expected a JSON path, got "${path}": ${fault}`);
  const steps = jsonPaths().environment.compile(path).segments.map(stepOf);
  return (root) => steps.reduce((values: readonly Value[], step) => step(values, root), [root]);
}

/** Whether a path finds one value at most, since it has no wildcard, slice, filter, union or descent. Throws if the path is not valid. */
export function isSingularPath(path: string): boolean {
  return jsonPaths().environment.compile(path).singularQuery();
}

/** The text before a condition that makes it the filter of a JSON path. */
export const filterStart = '$[?';

/**
 * Compiles a condition as it is written in a filter: `@.stock > 0`. Both `@` and `$` are the value that is tested. Throws an error of the
 * parser, whose places are those of the whole path, or a `SyntaxError`.
 */
export function compileJsonCondition(text: string): (value: Value) => boolean {
  const { library, environment } = jsonPaths();
  const [segment, ...others] = environment.compile(`${filterStart}${text}]`).segments;
  const [selector, ...more] = segment?.selectors ?? [];
  if (!(selector instanceof library.jsonpath.selectors.FilterSelector) || others.length + more.length > 0)
    throw new SyntaxError('it is more than one condition');
  const holds = testOf(selector.expression);
  return (value) => holds(value, value);
}

/** Returns a phrase for what is wrong with a path; undefined if it is valid. */
export function jsonPathFault(path: string): string | undefined {
  try {
    jsonPaths().environment.compile(path);
    return undefined;
  } catch (error) {
    // The parser has no other way to say that a path is wrong.
    return error instanceof Error ? error.message : String(error);
  }
}

/** The values that one step of a path finds in each of the given ones; `root` is where the path begins. */
type Step = (values: readonly Value[], root: Value) => readonly Value[];

/** The values that a selector finds in one value. */
type Select = (value: Value, root: Value) => readonly Value[];

/** The work of each value that a step of a path finds or looks at. */
const stepSteps = 10;

function stepOf(segment: Segment): Step {
  const selects = segment.selectors.map(selectOf);
  const isDeep = segment.toString().startsWith('..');
  return (values, root) => {
    const found: Value[] = [];
    for (const value of isDeep ? values.flatMap(withAllWithin) : values) {
      for (const select of selects) {
        const selected = select(value, root);
        spend((selected.length + 1) * stepSteps);
        for (const each of selected) found.push(each);
      }
    }
    return found;
  };
}

/** A value and all within it, each before what it holds. Not recursive. */
function withAllWithin(value: Value): Value[] {
  const found: Value[] = [];
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    spend(stepSteps);
    found.push(next);
    const held = within(next);
    for (let at = held.length - 1; at >= 0; at -= 1) waiting.push(held[at] ?? null);
  }
  return found;
}

/** The elements of a list or the values of an object. */
function within(value: Value): readonly Value[] {
  if (typeof value !== 'object' || value === null) return [];
  return isList(value) ? value : Object.values(value);
}

function selectOf(selector: Selector): Select {
  const { library } = jsonPaths();
  const { NameSelector, IndexSelector, WildcardSelector, FilterSelector } = library.jsonpath.selectors;
  if (selector instanceof WildcardSelector) return within;
  if (selector instanceof NameSelector)
    return (value) => {
      const isThere =
        typeof value === 'object' && value !== null && !isList(value) && Object.hasOwn(value, selector.name);
      return isThere ? [value[selector.name] ?? null] : [];
    };
  if (selector instanceof IndexSelector)
    return (value) => {
      const found = isList(value) ? value.at(selector.index) : undefined;
      return found === undefined ? [] : [found];
    };
  if (selector instanceof FilterSelector) {
    const holds = testOf(selector.expression);
    return (value, root) => within(value).filter((each) => holds(each, root));
  }
  return (value, root) =>
    selector.resolve(new library.JSONPathNode(plain(value), [], plain(root))).map((node) => node.value as Value);
}

/** Whether an expression of a filter holds for a value. */
type Test = (value: Value, root: Value) => boolean;

/** What an expression of a filter compares; the library's `Nothing` where there is no value. */
type Operand = (value: Value, root: Value) => JsonP3.JSONValue | typeof JsonP3.Nothing;

/** Compiles an expression of a filter. The library would look at what stands behind an `&&` or `||` that is settled, and count no work. */
function testOf(expression: Expression): Test {
  const { InfixExpression, LogicalExpression, PrefixExpression, compare } = jsonPaths().library.jsonpath.expressions;
  if (expression instanceof LogicalExpression) return testOf(expression.expression);
  if (expression instanceof PrefixExpression) {
    const holds = testOf(expression.right);
    return (value, root) => !holds(value, root);
  }
  if (!(expression instanceof InfixExpression)) {
    const values = valuesOf(expression);
    return (value, root) => values(value, root).length > 0;
  }
  const { operator, left, right } = expression;
  if (operator === '&&' || operator === '||') {
    const [first, second] = [testOf(left), testOf(right)];
    return operator === '&&'
      ? (value, root) => first(value, root) && second(value, root)
      : (value, root) => first(value, root) || second(value, root);
  }
  const [one, other] = [operandOf(left), operandOf(right)];
  return (value, root) => {
    const pair = [one(value, root), other(value, root)] as const;
    // Going through lists and objects counts the work of comparing them.
    if (pair.every((each) => typeof each === 'object')) pair.map((each) => withAllWithin(each as Value));
    return compare(pair[0], operator, pair[1]);
  };
}

function operandOf(expression: Expression): Operand {
  const { library } = jsonPaths();
  const { NullLiteral, BooleanLiteral, StringLiteral, NumberLiteral, FunctionExtension } = library.jsonpath.expressions;
  if (expression instanceof NullLiteral) return () => null;
  if (
    expression instanceof BooleanLiteral ||
    expression instanceof StringLiteral ||
    expression instanceof NumberLiteral
  ) {
    const { value } = expression;
    return () => value;
  }
  if (!(expression instanceof FunctionExtension)) return onlyOf(valuesOf(expression));
  const [argument] = expression.args;
  if (argument === undefined) throw new SyntaxError(`expected an argument of ${expression.name}()`);
  if (expression.name === 'length') {
    const of = operandOf(argument);
    return (value, root) => lengthOf(of(value, root)) ?? library.Nothing;
  }
  const values = valuesOf(argument);
  return expression.name === 'count' ? (value, root) => values(value, root).length : onlyOf(values);

  function onlyOf(find: ReturnType<typeof valuesOf>): Operand {
    return (value, root) => {
      const found = find(value, root);
      return found.length === 1 ? plain(found[0] ?? null) : library.Nothing;
    };
  }
}

function lengthOf(value: ReturnType<Operand>): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

/** Compiles a path within a filter, which begins at the value that is tested or at the root. */
function valuesOf(expression: Expression): (value: Value, root: Value) => readonly Value[] {
  const { FilterQuery, RelativeQuery } = jsonPaths().library.jsonpath.expressions;
  if (!(expression instanceof FilterQuery)) throw new SyntaxError(`expected a path, got ${String(expression)}`);
  const steps = expression.path.segments.map(stepOf);
  const isRelative = expression instanceof RelativeQuery;
  return (value, root) => {
    spend(stepSteps);
    return steps.reduce((values: readonly Value[], step) => step(values, root), [isRelative ? value : root]);
  };
}

/** A value as the library's type has it, whose lists could be changed. */
function plain(value: Value): JsonP3.JSONValue {
  return value as JsonP3.JSONValue;
}
