import { createRequire } from 'node:module';
import type * as JsonPathLibrary from 'jsonpath-rfc9535';
import type * as JsonPathParser from 'jsonpath-rfc9535/parser';
import type { JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { isList, type Value } from './value.ts';
import { spend } from '../../work-budget.ts';

const require = createRequire(import.meta.url);

/** Loaded at first use: its many files take longer than all else that a thread loads, and most plans have no path. */
function parse(path: string): JsonPathQuery {
  const parser: typeof JsonPathParser = require('jsonpath-rfc9535/parser');
  return parser.default(path);
}

function query(value: Value, path: string): Value[] {
  const library: typeof JsonPathLibrary = require('jsonpath-rfc9535');
  return library.query(value as Parameters<typeof library.query>[0], path);
}

/** Finds all values at a path, in the order of RFC 9535. */
export type FindValues = (value: Value) => readonly Value[];

/** Compiles a path. Throws a `SyntaxError` for a path of which `jsonPathFault` names a fault. */
export function compileJsonPath(path: string): FindValues {
  const fault = jsonPathFault(path);
  if (fault !== undefined) throw new SyntaxError(`expected a JSON path, got "${path}": ${fault}`);
  const steps = stepsOf(parse(path));
  if (steps === undefined) return (value) => query(value, path);
  return (value) => valuesAt(value, steps);
}

/** Whether a path finds one value at most, since it has no wildcard, slice, filter, union or descent. Throws if the path is not valid. */
export function isSingularPath(path: string): boolean {
  return stepsOf(parse(path))?.every((step) => step !== every) === true;
}

/** Functions that take as long as the values are large; the others of the RFC match patterns of JavaScript, which may take for ever. */
const functions: readonly string[] = ['length', 'count', 'value'];

/** Returns a phrase for what is wrong with a path; undefined if it is valid. */
export function jsonPathFault(path: string): string | undefined {
  try {
    const name = functionsIn(parse(path)).find((each) => !functions.includes(each));
    if (name === undefined) return undefined;
    return name === 'match' || name === 'search'
      ? `${name}() is not available: take all values and use a regex filter`
      : `there is no function "${name}", expected one of ${functions.join(', ')}`;
  } catch (error) {
    // The parser has no other way to say that a path is wrong.
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every element of a list or value of an object. */
const every = Symbol('every');

type Step = string | number | typeof every;

/** The steps of a path of names, indexes and wildcards only: these are walked here, and nearly all paths are made of them. */
function stepsOf({ segments }: JsonPathQuery): readonly Step[] | undefined {
  const steps = segments.map(({ type, node }): Step | undefined => {
    if (type === 'DescendantSegment') return undefined;
    const selector = node.type === 'BracketedSelection' && node.selectors.length === 1 ? node.selectors[0] : node;
    switch (selector?.type) {
      case 'MemberNameShorthand':
      case 'NameSelector':
      case 'IndexSelector':
        return selector.value;
      case 'WildcardSelector':
        return every;
      default:
        return undefined;
    }
  });
  return steps.every((step) => step !== undefined) ? steps : undefined;
}

/** The work of each value that a step of a path finds. */
const stepSteps = 10;

function valuesAt(value: Value, steps: readonly Step[]): readonly Value[] {
  let values: readonly Value[] = [value];
  for (const step of steps) {
    values = values.flatMap((each) => wrapped(each, step));
    spend(values.length * stepSteps);
  }
  return values;
}

/** The values at a step, in a list of their own, so that `flatMap` does not flatten a value that is itself a list. */
function wrapped(value: Value, step: Step): readonly Value[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === every) return Object.values(value);
  const found = isList(value)
    ? typeof step === 'number'
      ? value.at(step)
      : undefined
    : typeof step === 'string' && Object.hasOwn(value, step)
      ? value[step]
      : undefined;
  return found === undefined ? [] : [found];
}

function functionsIn(root: JsonPathQuery): string[] {
  const names: string[] = [];
  const waiting: unknown[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if ('type' in node && node.type === 'FunctionExpr' && 'name' in node) names.push(String(node.name));
    waiting.push(...Object.values(node).filter((each) => each !== undefined));
  }
  return names;
}
