import * as z from 'zod';
import { reaches } from '../schema/role.ts';
import { isChange, type JsonSchema, type Route, routes } from './routes.ts';

/** Describes the API below `base` for programs (OpenAPI 3.1), from the same table that it is served by. */
export function openApi(version: string, base = ''): object {
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
    servers: [{ url: base === '' ? '/' : base }],
    security: [{ token: [] }],
    paths,
    components: { schemas, parameters: headers, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

/** The headers of requests that have a meaning of their own. */
const headers = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Has the change made once per token: sent again within 24 h, it is answered as the first time. With another path or body it is refused with 422.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer, to be answered by 304 while nothing has changed.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that was read, after which the stream goes on; in place of `after`.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
} as const;

/** Returns the header that an operation takes besides its parameters. */
function headerOf(route: Route): keyof typeof headers {
  if (isChange(route)) return 'IdempotencyKey';
  return route.spec.notifies === undefined ? 'IfNoneMatch' : 'LastEventId';
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

function operation(route: Route, schemas: Record<string, unknown>): object {
  const { method, spec, verb, key, params } = route;
  const header = headerOf(route);
  const input = named(`${method}.params`, params, schemas);
  const { properties = {}, required = [] } = input;
  const inQuery = verb === 'GET' || verb === 'DELETE';
  const parameters = Object.entries(properties)
    .filter(([name]) => name === key || inQuery)
    .map(([name, property]) => {
      const { description, ...schema } = typeof property === 'object' ? property : {};
      return { name, in: name === key ? 'path' : 'query', description, required: required.includes(name), schema };
    });
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
    parameters: [...parameters, { $ref: `#/components/parameters/${header}` }],
    ...(!inQuery && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(!reaches('read', spec.role) && { 'x-role': spec.role }),
    responses: {
      200: {
        description: 'The result.',
        ...(header === 'IfNoneMatch' && { headers: answerHeaders(result) }),
        content: spec.notifies === undefined ? content : stream,
      },
      ...(header === 'IfNoneMatch' && { 304: { description: 'What `If-None-Match` names is still so.' } }),
      default: {
        description: 'Why the request is not served.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** The headers of an answer to a `GET`, of which a list that is not at its end has a `Link`. */
function answerHeaders({ properties = {} }: JsonSchema): object {
  const header = (description: string) => ({ description, schema: { type: 'string' } });
  return {
    ETag: header('Stands for this answer; `If-None-Match` of a later request takes it.'),
    ...('next' in properties && {
      Link: header('The address of the next slice, `rel="next"`; missing at the end of the list.'),
    }),
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
