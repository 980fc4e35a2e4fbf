import * as z from 'zod';
import type { MethodSpec } from '../control/methods/method.ts';
import { isMethod, methods, type Method } from '../control/methods.ts';
import { decodedPart } from '../view/path-part.ts';

/** The verbs of the API. */
export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A JSON Schema. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Where a control method stands in the HTTP API. */
export interface Route {
  readonly method: Method;
  readonly spec: MethodSpec;
  readonly verb: Verb;
  /** The path, in which `{name}` stands for the parameter of that name. */
  readonly path: string;
  /** The name of the parameter in the path; missing where there is none. */
  readonly key?: string;
  /** The parameters as a caller writes them. */
  readonly params: JsonSchema;
}

/** The path below which the API is. */
const base = '/v1';

/** Names of parameters by which a method says which one it is about, besides the noun itself. */
const keys = ['id', 'digest', 'job'];

/** The verbs of methods that have a verb of HTTP. */
const verbs: Readonly<Record<string, Verb>> = {
  list: 'GET',
  get: 'GET',
  add: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

/** The routes of all control methods, which follow from their names, parameters and roles alone. */
export const routes: readonly Route[] = Object.entries<MethodSpec>(methods).flatMap(([name, spec]) =>
  isMethod(name) ? [routeOf(name, spec)] : [],
);

/**
 * Returns the route of a method: `noun.list` and `noun.add` are at `/nouns`; `noun.get`, `noun.update` and `noun.delete` of one at
 * `/nouns/{id}`; any other verb at `/nouns/{id}/verb`; what is not about one at `/noun` or `/noun/verb`. A method of role `read` is
 * a `GET`, another one a `POST`. A subscription is the list of its noun, as a stream.
 */
function routeOf(method: Method, spec: MethodSpec): Route {
  const [noun = '', named = ''] = method.split('.');
  const name = spec.notifies === undefined ? named : 'list';
  const params: JsonSchema = z.toJSONSchema(spec.params, { io: 'input', unrepresentable: 'any' });
  const key = [...keys, noun].find((each) => params.required?.includes(each));
  const isOfAll = name === 'list' || name === 'add';
  const place = isOfAll ? `/${pluralOf(noun)}` : key === undefined ? `/${noun}` : `/${pluralOf(noun)}/{${key}}`;
  const hasOwnVerb = Object.hasOwn(verbs, name);
  return {
    method,
    spec,
    verb: verbs[name] ?? (spec.role === 'read' ? 'GET' : 'POST'),
    path: `${base}${place}${hasOwnVerb ? '' : `/${name}`}`,
    params,
    ...(!isOfAll && key !== undefined && { key }),
  };
}

function pluralOf(noun: string): string {
  return noun === 'held' ? noun : `${noun}s`;
}

const byMethod: ReadonlyMap<Method, Route> = new Map(routes.map((route) => [route.method, route]));

/** Returns the route of a method. Throws for a name that is none, which the types exclude. */
export function routeFor(method: Method): Route {
  const route = byMethod.get(method);
  if (route === undefined) throw new Error(`no route of ${method}`);
  return route;
}

/** Whether a method changes something, or has something done: it is no `GET`. */
export function isChange({ verb }: Route): boolean {
  return verb !== 'GET';
}

/** The routes of a path, by verb, and the text that stands in it for the parameter. */
export interface Found {
  readonly routes: ReadonlyMap<string, Route>;
  readonly key?: string;
}

/** The routes by path, with a `*` for the parameter. */
const byPath = Map.groupBy(routes, ({ path }) => path.replace(/\{\w+\}/, '*'));

/** Finds the routes of the path of an URL. Returns nothing for an unknown one, and for one that is not well encoded. */
export function findRoutes(path: string): Found | undefined {
  const exact = byPath.get(path);
  if (exact !== undefined && !path.includes('*')) return { routes: byVerb(exact) };
  const parts = path.split('/');
  const encoded = parts[3];
  if (encoded === undefined || encoded === '') return undefined;
  const found = byPath.get(parts.with(3, '*').join('/'));
  const key = decodedPart(encoded);
  return found === undefined || key === undefined ? undefined : { routes: byVerb(found), key };
}

function byVerb(found: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(found.map((route) => [route.verb, route]));
}
