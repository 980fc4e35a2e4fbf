import { html } from 'hono/html';
import type { Html, Page } from '../dashboard/parts/view.ts';
import { table } from '../dashboard/parts/table.ts';
import { errorStatuses } from './problem.ts';
import { type JsonSchema, type Route, routes } from './routes.ts';

/** Where the page is within the dashboard. */
export const apiPath = 'docs/api';

/** The page that describes the API for people, from the same table that it is served by. */
export function apiPage(root: string): Page {
  const byNoun = Map.groupBy(routes, ({ method }) => method.split('.')[0] ?? '');
  return {
    title: 'HTTP API',
    body: html`<p>
        Each call has a token: <code>Authorization: Bearer TOKEN</code>. Parameters of <code>GET</code> and
        <code>DELETE</code> stand in the query, those of other verbs in a JSON object in the body. Instants are
        milliseconds since 1970. The same for programs: <a href="openapi.json">OpenAPI 3.1</a>.
      </p>
      <p class="actions">
        ${Array.from(byNoun.keys(), (noun) => html`<a href="${apiPath}#${noun}">${noun}</a> `)}
        <a href="${apiPath}#errors">errors</a>
      </p>
      ${Array.from(
        byNoun,
        ([noun, of]) =>
          html`<section id="${noun}">
            <h2>${noun}</h2>
            ${of.map((route) => methodText(route, root))}
          </section>`,
      )}
      <section id="errors">
        <h2>Errors</h2>
        <p>
          An error is problem details (RFC 9457): <code>code</code> is for programs, <code>detail</code> for people.
        </p>
        ${table(
          'Errors',
          errorStatuses,
          [
            ['Code', ([code]) => html`<code>${code}</code>`],
            ['Status', ([, status]) => status, { isNumber: true }],
          ],
          '',
        )}
      </section>`,
  };
}

function methodText(route: Route, root: string): Html {
  const { method, verb, path, spec, params } = route;
  const required = params.required ?? [];
  const named = Object.entries(params.properties ?? {});
  return html`<article id="${method}">
    <h3>${method}</h3>
    <p><code>${verb} ${path}</code></p>
    <p>${proseOf(spec.doc)}</p>
    <p class="note">Role: ${spec.role}. Limited tokens: ${scopeText(route)}.</p>
    ${
      named.length === 0
        ? ''
        : table(
            `Parameters of ${method}`,
            named,
            [
              ['Parameter', ([name]) => html`<code>${name}</code>`],
              ['Type', ([, schema]) => html`<code>${typeText(schema)}</code>`],
              [
                'Where',
                ([name]) => (name === route.key ? 'path' : verb === 'GET' || verb === 'DELETE' ? 'query' : 'body'),
              ],
              ['Needed', ([name, schema]) => (required.includes(name) ? 'yes' : defaultText(schema))],
              ['Meaning', ([, schema]) => html`${proseOf(descriptionOf(schema) ?? '')}`],
            ],
            '',
          )
    }
    <pre tabindex="0" role="region" aria-label="Example of ${method}">${example(route, root)}</pre>
  </article>`;
}

/** A text in which names stand between backticks. */
function proseOf(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function scopeText({ spec: { scope } }: Route): string {
  if (scope === 'daemon') return 'none';
  if (scope === 'filtered') return 'what is of projects that they see';
  return Object.entries(scope)
    .map(([kind, parameter]) => `by the ${kind} in “${parameter}”`)
    .join(', ');
}

function defaultText(schema: JsonSchema | boolean): string {
  return typeof schema === 'object' && schema.default !== undefined ? `default ${JSON.stringify(schema.default)}` : '';
}

function descriptionOf(schema: JsonSchema | boolean): string | undefined {
  return typeof schema === 'object' ? schema.description : undefined;
}

/** A schema in a few words; what it consists of stands in the description for programs. */
function typeText(schema: JsonSchema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'any';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(typeText))].join(' | ');
  if (schema.type === 'array') return `${typeText(Array.isArray(schema.items) ? schema.items[0] : schema.items)}[]`;
  return String(schema.type ?? 'object');
}

/** A call that has what is needed, with the names of parameters in capitals for their values. */
function example({ verb, path, key, params, spec }: Route, root: string): string {
  const given = (params.required ?? []).filter((name) => name !== key);
  const isQuery = verb === 'GET' || verb === 'DELETE';
  const at = path.replace(/\{(\w+)\}/, (_, name: string) => name.toUpperCase());
  const query = isQuery && given.length > 0 ? `?${given.map((name) => `${name}=${name.toUpperCase()}`).join('&')}` : '';
  const body = Object.fromEntries(given.map((name) => [name, sample(name, params.properties?.[name])]));
  return [
    `curl -H "Authorization: Bearer $TOKEN"`,
    ...(spec.notifies === undefined ? [] : ['-N']),
    ...(verb === 'GET' ? [] : [`-X ${verb}`]),
    ...(isQuery ? [] : [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`]),
    `'${root}${at}${query}'`,
  ].join(' ');
}

function sample(name: string, schema: JsonSchema | boolean | undefined): unknown {
  if (typeof schema !== 'object') return name.toUpperCase();
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [sample(name, Array.isArray(schema.items) ? schema.items[0] : schema.items)];
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((each) => [each, sample(each, schema.properties?.[each])]));
    default:
      return name.toUpperCase();
  }
}
