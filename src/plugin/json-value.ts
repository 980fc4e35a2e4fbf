import * as z from 'zod';
import type { Value } from '../extract/draft.ts';

/** No value of a field is nested deeper. */
const maxDepth = 64;

/** What JSON can say, and nothing else; within it what is undefined is left out. Its messages name what was there. */
export const JsonValue = z.unknown().transform((value, context): Value => {
  const copied = copyJson(value, [], context);
  return copied ?? null;
});

/** Nothing for what is undefined, and for what an issue was made of. */
function copyJson(value: unknown, path: PropertyKey[], context: z.core.$RefinementCtx): Value | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (path.length > maxDepth) return refuse(`expected at most ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return value.map((each, index) => copyJson(each, [...path, index], context) ?? null);
  }
  if (isPlain(value)) {
    const copied: Record<string, Value> = {};
    for (const [name, each] of Object.entries(value)) {
      const inner = each === undefined ? undefined : copyJson(each, [...path, name], context);
      if (inner !== undefined) Object.defineProperty(copied, name, { value: inner, enumerable: true, writable: true });
    }
    return copied;
  }
  return refuse(`expected a value that JSON can say, got ${kindOf(value)}`);

  function refuse(message: string): undefined {
    context.addIssue({ code: 'custom', message, path, input: value });
    return undefined;
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name: unknown = Reflect.get(Object(value), 'constructor')?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of a class';
}
