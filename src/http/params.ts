import { type ControlError, invalidParam } from '../control/error.ts';
import type { JsonSchema, Route } from './routes.ts';

/** Reads the parameters of a query and of the path as the types that the method's schema has; the schema itself is not checked. */
export function queryParams({ params, key }: Route, query: URLSearchParams, keyText?: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    if (name === '__proto__') throw invalidParam(name, 'expected a name that is not reserved');
    if (name === key) throw unexpected(name);
    const texts = query.getAll(name);
    const schema = propertyOf(params, name);
    if (schema?.type === 'array') found[name] = texts.map((text) => valueOf(text, itemsOf(schema)));
    else if (texts.length > 1) throw invalidParam(name, 'expected once');
    else found[name] = valueOf(texts[0] ?? '', schema);
  }
  return withKey({ params, key }, found, keyText);
}

/** Adds the parameter of the path to those of a body, which must not name it. */
export function bodyParams(
  route: Pick<Route, 'params' | 'key'>,
  body: Readonly<Record<string, unknown>>,
  keyText?: string,
): Record<string, unknown> {
  if (route.key !== undefined && Object.hasOwn(body, route.key)) throw unexpected(route.key);
  return withKey(route, { ...body }, keyText);
}

function withKey(
  { params, key }: { readonly params: JsonSchema; readonly key?: string | undefined },
  found: Record<string, unknown>,
  keyText: string | undefined,
): Record<string, unknown> {
  if (key === undefined || keyText === undefined) return found;
  return { ...found, [key]: valueOf(keyText, propertyOf(params, key)) };
}

/** A text where the schema has one, else what it says as JSON. What is no JSON is left for the schema to refuse. */
function valueOf(text: string, schema: JsonSchema | undefined): unknown {
  if (schema === undefined || schema.type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  const found = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof found === 'object' ? found : undefined;
}

function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

function unexpected(name: string): ControlError {
  return invalidParam(name, 'expected it in the path alone');
}
