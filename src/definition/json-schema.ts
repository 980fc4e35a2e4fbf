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

/** The kinds of files that have a schema. */
export const schemaKinds = Object.keys(schemas) as (keyof typeof schemas)[];

/** Returns the JSON Schema (2020-12) of one kind of file, for editors. What it says in several places stands under `$defs`. */
export function jsonSchema(kind: keyof typeof schemas): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schemas[kind], { io: 'input', reused: 'ref', override: typeless });
}

/** Makes `type` optional for objects, since `fields` tells them. */
function typeless({
  zodSchema,
  jsonSchema: schema,
}: {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (!(zodSchema instanceof z.ZodObject) || schema.required === undefined) return;
  const { type, fields } = zodSchema.shape;
  const isObject = type instanceof z.ZodLiteral && type.value === 'object' && fields !== undefined;
  if (isObject) schema.required = schema.required.filter((name) => name !== 'type');
}
