import * as z from 'zod';
import { Event } from '../../src/event/catalogue.ts';
import { ChangeCounts, Failure, FieldChanges } from '../../src/view/fields.ts';
import { objectText, type Schema } from '../support/schema-text.ts';

const names = z.registry<{ id: string }>();
const named = { ChangeCounts, Failure, FieldChanges };
for (const [id, type] of Object.entries(named)) names.add(type, { id });

/** The properties that an event has whatever its type. */
const envelope = ['id', 'version', 'at', 'type'];

/** `docs/events.md`: every event, made from the catalogue. */
export function eventReference(): string {
  const types = Object.entries(named).map(
    ([name, type]) => `type ${name} = ${objectText(definitionOf(name, type), '')};`,
  );
  const ending = ['## Types', ['```ts', types.join('\n\n'), '```'].join('\n')];
  return `${[introduction, ...Event.options.map(sectionOf), ...ending].join('\n\n')}\n`;
}

const introduction = `# Events

A commit tells events; they are kept in the order of the commits, and a subscriber (\`event.subscribe\`, \`heronry watch\`) gets each at least
once. A reader resumes after the \`id\` of the last event that it took. The newest million events are kept. An event as JSON:

\`\`\`json
{"id":12,"version":1,"at":1700000000000,"type":"target.released","projects":["lamp"],"source":"shop","target":3,"data":{}}
\`\`\`

\`id\` counts up from 1. \`version\` is the version of the form of all events: a new type or a new optional property does not raise it, any other
change does. \`at\` is the wall time of the commit in milliseconds since 1970, as all names that end in \`at\` or \`At\`; names that end in \`Ms\`
are spans in milliseconds. Then come the event's subjects and its data, by type. This page is made from the catalogue (\`src/event/catalogue.ts\`).`;

function sectionOf(event: (typeof Event)['options'][number]): string {
  const schema = schemaOf(event);
  const { type = true, ...rest } = schema.properties ?? {};
  const properties = Object.entries(rest).filter(([name, property]) => !envelope.includes(name) && !isNever(property));
  const told = objectText({ ...schema, properties: Object.fromEntries(properties) }, '');
  const name: unknown = typeof type === 'object' ? type.const : undefined;
  return [`## ${String(name)}`, event.description, ['```ts', told, '```'].join('\n')].join('\n\n');
}

function isNever(property: Schema | boolean): boolean {
  return typeof property === 'object' && property.not !== undefined;
}

function schemaOf(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { metadata: names });
}

function definitionOf(name: string, type: z.ZodType): Schema {
  const schema = schemaOf(type);
  return (schema.$ref === undefined ? schema : schema.$defs?.[name]) as Schema;
}

if (import.meta.main) process.stdout.write(eventReference());
