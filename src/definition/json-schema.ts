import * as z from 'zod';
import { DaemonConfig } from './daemon.ts';
import { Pipeline } from './pipeline.ts';
import { WrittenProjects } from './project.ts';
import { SharedType } from './shared-type.ts';
import { Sink } from './sink.ts';
import { Source } from './source.ts';

const schemas = {
  source: Source,
  type: SharedType,
  sink: Sink,
  pipeline: Pipeline,
  projects: WrittenProjects,
  daemon: DaemonConfig,
} as const;

/** Returns the JSON Schema (2020-12) of one kind of file, for editors. */
export function jsonSchema(kind: keyof typeof schemas): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schemas[kind], { io: 'input', override: ({ jsonSchema: schema }) => typeless(schema) });
}

/** Makes `type` optional for objects, since `fields` tells them. */
function typeless(schema: z.core.JSONSchema.BaseSchema): void {
  const type = schema.properties?.['type'];
  const isObject = typeof type === 'object' && type.const === 'object' && schema.properties?.['fields'] !== undefined;
  if (isObject && schema.required !== undefined) schema.required = schema.required.filter((name) => name !== 'type');
}
