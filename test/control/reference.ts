import * as z from 'zod';
import { objectText, type Schema, textOf } from '../support/schema-text.ts';
import { methods } from '../../src/control/methods.ts';
import type { MethodSpec } from '../../src/control/methods/method.ts';
import { errorNumbers } from '../../src/control/error.ts';
import * as fields from '../../src/control/methods/fields.ts';
import { ChangeCounts, Failure } from '../../src/view/fields.ts';
import { AuditView } from '../../src/view/audit.ts';
import * as crawl from '../../src/view/crawl.ts';
import { Infeasible } from '../../src/view/infeasible.ts';
import * as record from '../../src/view/record.ts';
import * as scrape from '../../src/view/scrape.ts';
import * as trial from '../../src/view/trial.ts';
import { ContinuousInput } from '../../src/schedule/pace/continuous.ts';
import { OpenHoursInput } from '../../src/schedule/time/open-hours-schema.ts';
import * as daemon from '../../src/control/methods/daemon.ts';
import * as event from '../../src/control/methods/event.ts';
import * as host from '../../src/control/methods/host.ts';
import * as hostView from '../../src/view/host.ts';
import * as objective from '../../src/control/methods/objective.ts';
import { FreshnessView } from '../../src/schedule/freshness-census.ts';
import { AgesInput } from '../../src/schedule/time/ages.ts';
import * as project from '../../src/control/methods/project.ts';
import * as projectInput from '../../src/control/methods/project-input.ts';
import * as schedule from '../../src/control/methods/schedule.ts';
import * as sink from '../../src/control/methods/sink.ts';
import * as source from '../../src/control/methods/source.ts';
import * as target from '../../src/control/methods/target.ts';
import * as token from '../../src/control/methods/token.ts';
import * as waste from '../../src/control/methods/waste.ts';
import * as why from '../../src/control/methods/why.ts';

/** What the modules of the methods export is told once, by its name. */
const modules = {
  ...projectInput,
  ...project,
  ...target,
  AgesInput,
  ContinuousInput,
  OpenHoursInput,
  ...why,
  ...schedule,
  ...objective,
  FreshnessView,
  Infeasible,
  ...waste,
  ...record,
  ...scrape,
  ...crawl,
  ...source,
  ...trial,
  ...hostView,
  ...host,
  ...event,
  ...sink,
  ...token,
  AuditView,
  ...daemon,
  ...fields,
  Failure,
  ChangeCounts,
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
  const sections = Object.entries<MethodSpec>(methods).map(([name, { doc, role, scope, params, result }]) =>
    [
      `## ${name}`,
      `${doc} Role: ${role}. Scope: ${scopeText(scope)}.`,
      ['```ts', `params: ${typeText(params, 'input')}`, `result: ${typeText(result, 'output')}`, '```'].join('\n'),
    ].join('\n\n'),
  );
  const told = types.map(([name, type]) => `type ${name} = ${objectText(definitionOf(name, type), '')}`);
  const ending = ['## Types', ['```ts', told.join('\n\n'), '```'].join('\n')];
  return `${[introduction, ...sections, ...ending].join('\n\n')}\n`;
}

function scopeText(scope: MethodSpec['scope']): string {
  if (typeof scope === 'string') return scope;
  return Object.entries(scope)
    .map(([what, name]) => `${what} \`${name}\``)
    .join(', ');
}

const introduction = `# Control methods

The daemon serves JSON-RPC 2.0 at a local socket, one message per line of at most 4 MiB and 64 levels of nesting. A request and its answer:

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
A role and a scope say who may use a method over HTTP ([http.md](http.md)); whoever opens the socket may use all.
A subscription is the request's \`id\`: each event comes as a notification \`event\` with \`{"subscription": id, "event": Event}\`;
[events.md](events.md) lists all events.
This page is made from the table that the daemon itself answers by (\`src/control/methods\`).`;

function typeText(schema: z.ZodType, io: 'input' | 'output'): string {
  return textOf(schemaOf(schema, io), '');
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, {
    io,
    metadata: names,
    unrepresentable: 'any',
    // Only the registry above is asked for names, so that descriptions are added here.
    override({ zodSchema, jsonSchema }) {
      const description = z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
    },
  });
}

/** A type that is told by name; its own schema is a reference to itself when it is within itself. */
function definitionOf(name: string, type: z.ZodType): Schema {
  const schema = schemaOf(type, /^New|(?:Input|Change)$/.test(name) ? 'input' : 'output');
  return (schema.$ref === undefined ? schema : schema.$defs?.[name]) as Schema;
}

if (import.meta.main) process.stdout.write(controlReference());
