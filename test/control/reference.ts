import * as z from 'zod';
import { methods } from '../../src/control/methods.ts';
import { errorNumbers } from '../../src/control/error.ts';
import * as fields from '../../src/control/fields.ts';
import { ContinuousInput } from '../../src/definition/continuous.ts';
import { OpenHoursInput } from '../../src/definition/open-hours.ts';
import * as crawl from '../../src/control/methods/crawl.ts';
import * as daemon from '../../src/control/methods/daemon.ts';
import * as event from '../../src/control/methods/event.ts';
import * as host from '../../src/control/methods/host.ts';
import * as objective from '../../src/control/methods/objective.ts';
import * as pace from '../../src/control/methods/pace.ts';
import * as project from '../../src/control/methods/project.ts';
import * as schedule from '../../src/control/methods/schedule.ts';
import * as scrape from '../../src/control/methods/scrape.ts';
import * as settings from '../../src/control/methods/settings.ts';
import * as source from '../../src/control/methods/source.ts';
import * as trial from '../../src/control/methods/trial.ts';
import * as target from '../../src/control/methods/target.ts';
import * as tree from '../../src/control/methods/tree.ts';
import * as waste from '../../src/control/methods/waste.ts';
import * as why from '../../src/control/methods/why.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** What the modules of the methods export is told once, by its name. */
const modules = {
  ...project,
  ...target,
  ...pace,
  ContinuousInput,
  OpenHoursInput,
  ...why,
  ...schedule,
  ...objective,
  ...waste,
  ...scrape,
  ...crawl,
  ...trial,
  ...source,
  ...host,
  ...event,
  ...tree,
  ...settings,
  ...daemon,
  ...fields,
};
const types = Object.entries<unknown>(modules).filter(isType);
const names = z.registry<{ id: string }>();
for (const [id, type] of types) names.add(type, { id });

function isType(entry: [string, unknown]): entry is [string, z.ZodType] {
  const [name, type] = entry;
  return type instanceof z.ZodType && (type instanceof z.ZodObject || name === 'TreeView');
}

/** `docs/control.md`: how to speak with a daemon without the command line. */
export function controlReference(): string {
  const sections = Object.entries(methods).map(([name, { doc, role, params, result }]) =>
    [
      `## ${name}`,
      `${doc} Role: ${role}.`,
      ['```ts', `params: ${typeText(params, 'input')}`, `result: ${typeText(result, 'output')}`, '```'].join('\n'),
    ].join('\n\n'),
  );
  const told = types.map(([name, type]) => `type ${name} = ${objectText(definitionOf(name, type), '')}`);
  const ending = ['## Types', ['```ts', told.join('\n\n'), '```'].join('\n')];
  return `${[introduction, ...sections, ...ending].join('\n\n')}\n`;
}

const introduction = `# Control methods

The daemon serves JSON-RPC 2.0 at a local socket, one message per line of at most 1 MiB. A request and its answer:

\`\`\`json
{"jsonrpc":"2.0","id":1,"method":"settings.set","params":{"everyMs":3600000}}
{"jsonrpc":"2.0","id":1,"result":{"initialDelayMs":1000,"everyMs":3600000,"timeLimitMs":600000,"logLevel":"info"}}
\`\`\`

Instants are milliseconds since 1970, and names that end in \`Ms\` are spans in milliseconds. A list that is not at its end has
a \`next\`, which the next request hands back as \`after\` or \`before\`; a slice may hold less than its limit and still have one.
An error has the \`code\` of JSON-RPC and a \`message\` for people; \`data.code\` is for programs: ${Object.keys(
  errorNumbers,
)
  .map((code) => `\`${code}\``)
  .join(', ')}.
A subscription is the request's \`id\`: each event comes as a notification \`event\` with \`{"subscription": id, "event": EventView}\`.
This page is made from the table that the daemon itself answers by (\`src/control/methods\`).`;

function typeText(schema: z.ZodType, io: 'input' | 'output'): string {
  return textOf(schemaOf(schema, io), '');
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, metadata: names, unrepresentable: 'any' });
}

/** A type that is told by name; its own schema is a reference to itself when it is within itself. */
function definitionOf(name: string, type: z.ZodType): Schema {
  const schema = schemaOf(type, /^New|(?:Input|Change)$/.test(name) ? 'input' : 'output');
  return (schema.$ref === undefined ? schema : schema.$defs?.[name]) as Schema;
}

/** A schema as TypeScript would write the type. */
function textOf(schema: Schema | boolean, indent: string): string {
  if (typeof schema === 'boolean') return 'unknown';
  // Only that of any JSON value, which holds itself, has a name that is not of `types`.
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '').replace(/^__schema\d+$/, 'unknown');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((choice) => textOf(choice, indent)).join(' | ');
  if (schema.type === 'array') return listText(schema, indent);
  if (schema.type === 'object') return objectText(schema, indent);
  if (schema.type === 'integer') return 'number';
  return typeof schema.type === 'string' ? schema.type : 'unknown';
}

function listText({ items }: Schema, indent: string): string {
  const item = textOf((items ?? true) as Schema | boolean, indent);
  return item.includes('|') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function objectText({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const isOptional = !required.includes(name);
    const preset = typeof property === 'object' && property.default !== undefined ? property.default : undefined;
    const note = preset === undefined ? '' : ` // default ${JSON.stringify(preset)}`;
    return `${inner}${name}${isOptional ? '?' : ''}: ${textOf(property, inner)};${note}`;
  });
  if (typeof additionalProperties === 'object')
    lines.push(`${inner}[name: string]: ${textOf(additionalProperties, inner)};`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}

if (import.meta.main) process.stdout.write(controlReference());
