import * as z from 'zod';
import { Daemon } from './daemon.ts';
import { Projects } from './project.ts';
import { Source } from './source.ts';

const schemas = { source: Source, projects: Projects, daemon: Daemon } as const;

/** The JSON Schema (2020-12) of one kind of file, as an editor checks what a person types. */
export function jsonSchema(kind: keyof typeof schemas): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schemas[kind], { io: 'input', override: ({ jsonSchema: schema }) => typeless(schema) });
}

/** What has `fields` needs no `type` that says that it is an object. */
function typeless(schema: z.core.JSONSchema.BaseSchema): void {
  const type = schema.properties?.['type'];
  const isObject = typeof type === 'object' && type.const === 'object' && schema.properties?.['fields'] !== undefined;
  if (isObject && schema.required !== undefined) schema.required = schema.required.filter((name) => name !== 'type');
}
