import * as z from 'zod';
import { methods, type Handlers, type Method } from '../../src/control/methods.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** How the texts, numbers and lists of a made-up result are. */
export interface SampleOptions {
  readonly text: string;
  /** The items of each list, and the members of each object with free names. */
  readonly items: number;
  /** Instants and other whole numbers. */
  readonly number: number;
}

/** Handlers of all methods, each of which gives a made-up result of its schema with everything that is optional in it. */
export function sampleHandlers(options: SampleOptions): Partial<Handlers> {
  const made = Object.keys(methods).map((method) => [method, () => sampleOf(method, options)] as const);
  return Object.fromEntries(made);
}

function sampleOf(method: string, options: SampleOptions): unknown {
  const { result } = methods[method as Method];
  const schema: JsonSchema = z.toJSONSchema(result, { io: 'output', unrepresentable: 'any' });
  return new Sampler(schema, options).make(schema, 0);
}

/** The longest name, in characters. */
const longestName = 500;

/** Makes an instance of a JSON Schema, of the kinds that results are made of. */
class Sampler {
  readonly #root: JsonSchema;
  readonly #options: SampleOptions;

  constructor(root: JsonSchema, options: SampleOptions) {
    this.#root = root;
    this.#options = options;
  }

  make(schema: JsonSchema | boolean | undefined, level: number): unknown {
    const { text, number, items } = this.#options;
    if (typeof schema !== 'object') return text;
    if (schema.$ref !== undefined) return level > 8 ? null : this.make(this.#find(schema.$ref), level + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    const either = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (either !== undefined)
      return this.make(
        either.find((each) => typeof each === 'object' && each.type === 'string') ?? either[0],
        level + 1,
      );
    switch (schema.type) {
      case 'string':
        return text.slice(0, schema.maxLength);
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? number, Math.max(schema.minimum ?? 0, number));
      case 'boolean':
        return true;
      case 'array':
        return level > 8 ? [] : Array.from({ length: items }, () => this.make(itemsOf(schema), level + 1));
      case 'object':
        return this.#object(schema, level);
      default:
        return text;
    }
  }

  #object({ properties = {}, additionalProperties }: JsonSchema, level: number): object {
    const made = Object.entries(properties)
      .filter(([, inner]) => level < 10 || typeof inner !== 'object' || inner.$ref === undefined)
      .map(([name, inner]) => [name, named(name, this.make(inner, level + 1))]);
    if (typeof additionalProperties !== 'object') return Object.fromEntries(made);
    const { text, items } = this.#options;
    const free = Array.from({ length: items }, (_, at) => [
      `${text.slice(0, longestName)}${at}`,
      this.make(additionalProperties, level + 1),
    ]);
    return Object.fromEntries([...made, ...free]);
  }

  #find(ref: string): JsonSchema {
    const name = ref.replace('#/$defs/', '');
    const found = ref === '#' ? this.#root : this.#root.$defs?.[name];
    if (typeof found !== 'object') throw new Error(`no definition ${ref}`);
    return found;
  }
}

/** Names have bounds, which the store holds; ids of projects and sources have no such characters. */
function named(name: string, value: unknown): unknown {
  if (name === 'id' || name === 'source') return 'shop';
  if ((name === 'good' || name === 'bad') && typeof value === 'string') return 'A'.repeat(22);
  if (name === 'assignee') return String(value).slice(0, 100);
  if (/^(?:projects|sources|labels)$/.test(name) && Array.isArray(value))
    return value.map((each) => (typeof each === 'string' ? each.slice(0, 60) : each));
  return typeof value === 'string' && /^(?:key|field|type|source|host|next)$/.test(name)
    ? value.slice(0, longestName)
    : value;
}

function itemsOf({ items }: JsonSchema): JsonSchema | boolean | undefined {
  return Array.isArray(items) ? items[0] : items;
}
