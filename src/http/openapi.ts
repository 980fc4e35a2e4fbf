import * as z from 'zod';
import { reaches } from '../schema/role.ts';
import { type JsonSchema, type Route, routes } from './routes.ts';

/** Describes the API for programs (OpenAPI 3.1), from the same table that it is served by. */
export function openApi(version: string): object {
  const schemas: Record<string, unknown> = { Problem: problem };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.verb.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heronry',
      version,
      description: 'Instants are milliseconds since 1970, and names that end in `Ms` are spans in milliseconds.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    issues: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

function operation({ method, spec, verb, key, params }: Route, schemas: Record<string, unknown>): object {
  const input = named(`${method}.params`, params, schemas);
  const { properties = {}, required = [] } = input;
  const inQuery = verb === 'GET' || verb === 'DELETE';
  const parameters = Object.entries(properties)
    .filter(([name]) => name === key || inQuery)
    .map(([name, schema]) => ({
      name,
      in: name === key ? 'path' : 'query',
      required: required.includes(name),
      schema,
    }));
  const rest = Object.fromEntries(Object.entries(properties).filter(([name]) => name !== key));
  const body = { ...input, properties: rest, required: required.filter((name) => name !== key) };
  const result: JsonSchema = z.toJSONSchema(spec.result, { io: 'output', unrepresentable: 'any' });
  schemas[`${method}.result`] = named(`${method}.result`, result, schemas);
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${method}.result` } } };
  const stream = { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    operationId: method,
    tags: [method.split('.')[0]],
    description: `${spec.doc} Role: ${spec.role}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(!inQuery && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(!reaches('read', spec.role) && { 'x-role': spec.role }),
    responses: {
      200: { description: 'The result.', content: spec.notifies === undefined ? content : stream },
      default: {
        description: 'Why the request is not served.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/**
 * Returns a schema whose references lead to the schemas of the document, to which its own definitions are added: those within a
 * schema would be looked up from the top of the document.
 */
function named(name: string, schema: JsonSchema, schemas: Record<string, unknown>): JsonSchema {
  const text = JSON.stringify(schema)
    .replaceAll('"#/$defs/', `"#/components/schemas/${name}.`)
    .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`);
  const { $defs = {}, $schema: _schema, ...rest }: JsonSchema = JSON.parse(text);
  for (const [inner, definition] of Object.entries($defs)) schemas[`${name}.${inner}`] = definition;
  return rest;
}
