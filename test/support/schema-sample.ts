import type * as z from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;

/** Returns the least value that a JSON Schema of a type of ours allows. */
export function sampleOf(schema: Schema, top: Schema = schema): unknown {
  const inner = (each: z.core.JSONSchema._JSONSchema | undefined): unknown =>
    sampleOf(typeof each === 'object' ? each : {}, top);
  if (schema.$ref !== undefined) return inner(top.$defs?.[schema.$ref.replace('#/$defs/', '')]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return inner(schema.anyOf[0]);
  switch (schema.type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        inner(Array.isArray(schema.items) ? undefined : schema.items),
      );
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    default:
      return null;
  }
}
