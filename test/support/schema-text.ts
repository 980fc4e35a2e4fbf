import type * as z from 'zod';

export type Schema = z.core.JSONSchema.JSONSchema;

/** A schema as TypeScript writes the type. */
export function textOf(schema: Schema | boolean, indent: string): string {
  if (typeof schema === 'boolean') return 'unknown';
  // Only the schema of any JSON value, which contains itself, has a generated name.
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

/** An object's schema as TypeScript writes the type, with the description and the default of each property. */
export function objectText({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const isOptional = !required.includes(name);
    const preset = typeof property === 'object' && property.default !== undefined ? property.default : undefined;
    const note = preset === undefined ? '' : ` // default ${JSON.stringify(preset)}`;
    const doc = typeof property === 'object' && property.description !== undefined ? property.description : undefined;
    const comment = doc === undefined ? '' : `${inner}/** ${doc} */\n`;
    return `${comment}${inner}${name}${isOptional ? '?' : ''}: ${textOf(property, inner)};${note}`;
  });
  if (typeof additionalProperties === 'object')
    lines.push(`${inner}[name: string]: ${textOf(additionalProperties, inner)};`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}
