import type * as z from 'zod';
import { expectation, faultsOf, pathText } from '../definition/problem.ts';
import { ControlError, type ParamIssue } from './error.ts';
import type { MethodSpec } from './method.ts';
import { methods, type HandlerContext, type Handlers, type Method } from './methods.ts';
import { nearName } from '../definition/near-name.ts';
import { reservedName } from './reserved.ts';

/** A call that was found and whose parameters hold. */
export interface Call {
  readonly method: Method;
  readonly spec: MethodSpec;
  run(context: HandlerContext): unknown;
}

/** Finds a method and checks its parameters; throws a `ControlError` that says what is wrong with either. */
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
  return { method, spec, run: (context) => handler(checked.data, context) };
}

function isMethod(name: string): name is Method {
  return Object.hasOwn(methods, name);
}

function unknownMethod(method: string): ControlError {
  const near = nearName(method, Object.keys(methods));
  const shown = JSON.stringify(method.slice(0, 100));
  return new ControlError('unknown_method', `unknown method ${shown}${near ? `: did you mean "${near}"?` : ''}`);
}

function invalidParams(method: string, error: z.ZodError): ControlError {
  const issues = faultsOf(error.issues).map(({ path, message }): ParamIssue => ({ path: pathText(path), message }));
  const told = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return new ControlError('invalid_params', `${method}: ${told.join('; ')}`, { issues });
}
