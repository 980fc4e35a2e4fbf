import { createRequire } from 'node:module';
import type * as JsonP3 from 'json-p3';
import { isList, type Value } from './value.ts';
import { spend } from '../../work-budget.ts';

const require = createRequire(import.meta.url);

type Segment = JsonP3.JSONPathQuery['segments'][number];
type Selector = Segment['selectors'][number];
type Filter = InstanceType<typeof JsonP3.jsonpath.expressions.LogicalExpression>;

/** Functions that take as long as the values are large; the others of the RFC match patterns of JavaScript, which may take for ever. */
const functions: readonly string[] = ['length', 'count', 'value'];

/** How deep a value may be nested that a path looks through at any depth within a filter. */
const maxDepth = 1_000;

/** The library and its parser. Loaded at first use, as most plans have no path. */
let loaded: { readonly library: typeof JsonP3; readonly environment: JsonP3.JSONPathEnvironment } | undefined;

function jsonPaths(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded;
  const library: typeof JsonP3 = require('json-p3');
  const environment = new library.JSONPathEnvironment({ maxRecursionDepth: maxDepth });
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
  const { environment, library } = jsonPaths();
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
  if (selector instanceof FilterSelector)
    return (value, rootValue) =>
      // `lazy`, as paths within a filter are otherwise called with all they found as arguments, more than which a stack could hold.
      within(value).filter((each) =>
        holds(selector.expression.expression, {
          environment,
          currentValue: plain(each),
          rootValue: plain(rootValue),
          lazy: true,
        }),
      );
  return (value, root) =>
    selector.resolve(new library.JSONPathNode(plain(value), [], plain(root))).map((node) => node.value as Value);
}

/** Whether a filter holds. What stands behind an `&&` or `||` that is settled is not looked at, which the library would do. */
function holds(expression: Filter['expression'], context: Parameters<Filter['evaluate']>[0]): boolean {
  const { InfixExpression, LogicalExpression } = jsonPaths().library.jsonpath.expressions;
  if (expression instanceof InfixExpression && expression.operator === '&&')
    return holds(expression.left, context) && holds(expression.right, context);
  if (expression instanceof InfixExpression && expression.operator === '||')
    return holds(expression.left, context) || holds(expression.right, context);
  return new LogicalExpression(expression.token, expression).evaluate(context);
}

/** A value as the library's type has it, whose lists could be changed. */
function plain(value: Value): JsonP3.JSONValue {
  return value as JsonP3.JSONValue;
}
