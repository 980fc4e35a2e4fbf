import { ControlError } from '../control/error.ts';
import type { Call } from '../control/dispatch.ts';
import type { Scope } from '../control/methods/method.ts';
import { hasLabelOf } from '../schema/labels.ts';
import type { Caller } from './exchange.ts';
import { Refusal } from './problem.ts';
import type { Route } from './routes.ts';

/** What the parameters of calls stand for, which decides who may make them. */
export interface Subjects {
  /** Returns the labels of a project; nothing where there is none of that id. */
  labelsOf(project: string): readonly string[] | undefined;
  /** Returns the sources that a ticket is about, of which one about worker processes has none; nothing where there is no ticket of that number. */
  sourcesOf(ticket: number): readonly string[] | undefined;
}

/** Throws a `Refusal` where a caller that is limited to labels or sources may not use a method, whatever its parameters. */
export function checkLimits({ labels, sources }: Caller, { method, spec: { scope, role } }: Route): void {
  const isReached = scope === 'filtered' || (scope !== 'daemon' && 'project' in scope);
  if (labels !== undefined && !isReached)
    throw new Refusal('forbidden', `${method}: expected a token that is not limited to labels`);
  const isOfSources = typeof scope === 'object' && ('source' in scope || 'ticket' in scope);
  if (sources !== undefined && role === 'author' && !isOfSources)
    throw new Refusal('forbidden', `${method}: expected a token that is not limited to sources`);
}

/**
 * Throws where a caller may not make a call because of what its parameters name. A project that the caller does not see is answered as one that
 * does not exist, so that nobody can find out which ids exist. A source that is not among the caller's own is refused.
 */
export function checkSubject(
  caller: Caller,
  { method, spec: { role, scope }, params }: Call,
  subjects: Subjects,
): void {
  if (typeof scope === 'string') return;
  if (caller.labels !== undefined && 'project' in scope) {
    const project = paramOf(params, scope.project);
    if (typeof project !== 'string')
      throw new Refusal('forbidden', `${method}: expected "${scope.project}", as the token is limited to labels`);
    if (!hasLabelOf(caller.labels, subjects.labelsOf(project) ?? []))
      throw new ControlError('not_found', `no project "${project}"`);
  }
  if (caller.sources !== undefined && role === 'author') {
    const own = caller.sources;
    const about = sourcesOf(scope, params, subjects);
    // What is of no source is nobody's own.
    if (about?.length === 0 || about?.some((source) => !own.includes(source)))
      throw new Refusal('forbidden', `${method}: the token is limited to the sources ${own.join(', ')}`);
  }
}

/** The sources that a call is about; `undefined` for a ticket that there is not. */
function sourcesOf(scope: Exclude<Scope, string>, params: unknown, subjects: Subjects): readonly string[] | undefined {
  if ('source' in scope) return [String(paramOf(params, scope.source))];
  return 'ticket' in scope ? subjects.sourcesOf(Number(paramOf(params, scope.ticket))) : undefined;
}

function paramOf(params: unknown, name: string): unknown {
  return new Map(Object.entries(Object(params))).get(name);
}
