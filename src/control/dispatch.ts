import type * as z from 'zod';
import { expectation, faultsOf, pathText } from '../definition/problem.ts';
import { ControlError, type ParamIssue } from './error.ts';
import type { MethodSpec } from './methods/method.ts';
import { isMethod, methods, type HandlerContext, type Handlers, type Method } from './methods.ts';
import { nearName } from '../schema/near-name.ts';
import type { StoreFullError } from '../store/lmdb/environment.ts';

/** A call of a known method with valid parameters. */
export interface Call {
  readonly method: Method;
  readonly spec: MethodSpec;
  /** The validated parameters, with defaults. */
  readonly params: unknown;
  run(context: HandlerContext): unknown;
}

/** Finds a method and validates its parameters. Throws a `ControlError` that says what is wrong with either. */
export function findCall(handlers: Handlers, method: string, params: unknown): Call {
  if (!isMethod(method)) throw unknownMethod(method);
  const spec: MethodSpec = methods[method];
  const reserved = reservedName(params);
  if (reserved !== undefined) {
    const issue = { path: pathText(reserved), message: 'expected a name that is not reserved' };
    throw new ControlError('invalid_params', `${method}: ${issue.path}: ${issue.message}`, { issues: [issue] });
  }
  const checked = spec.params.safeParse(params ?? {}, { error: expectation });
  if (!checked.success) throw invalidParams(method, checked.error);
  // The table pairs each handler with its schema, which the type of one entry taken at run time cannot say.
  const handler = handlers[method] as (params: unknown, context: HandlerContext) => unknown;
  return { method, spec, params: checked.data, run: (context) => handler(checked.data, context) };
}

/** The error of a store that has no room, which this folder may not import as a value. */
const storeFull: StoreFullError['name'] = 'StoreFullError';

/** Returns the error to answer a failed call with: `not_ready` where the store is full, `internal` for a bug. */
export function refusalOf(error: unknown, method: string): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof Error && error.name === storeFull)
    return new ControlError('not_ready', error.message, { cause: error });
  return new ControlError('internal', `${method}: internal error`, { cause: error });
}

function unknownMethod(method: string): ControlError {
  const near = nearName(method, Object.keys(methods));
  const shown = JSON.stringify(method.slice(0, 100));
  return new ControlError('unknown_method', `unknown method ${shown}${near ? `: did you mean "${near}"?` : ''}`);
}

function invalidParams(method: string, error: z.ZodError): ControlError {
  const issues = faultsOf(error.issues).map(({ path, message }): ParamIssue => ({ path: pathText(path), message }));
  const texts = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return new ControlError('invalid_params', `${method}: ${texts.join('; ')}`, { issues });
}

/**
 * Returns the path to a `__proto__`, whose value would vanish when the parameters are copied; nothing where there
 * is none.
 */
function reservedName(value: unknown): PropertyKey[] | undefined {
  const open: { readonly value: unknown; readonly path: readonly PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, inner] of Object.entries(next.value)) {
      if (key === '__proto__') return [...next.path, key];
      if (typeof inner === 'object') open.push({ value: inner, path: [...next.path, isList ? Number(key) : key] });
    }
  }
  return undefined;
}
