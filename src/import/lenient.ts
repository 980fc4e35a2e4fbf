import type * as z from 'zod';
import { isMapping } from '../schema/mapping.ts';

/** A part of a foreign entry that is not of its form. */
export interface Malformed {
  readonly key: string;
  readonly why: string;
}

/** What was read of a foreign entry: what is of its form, and what is not. */
export interface Lenient<T> {
  readonly value: T;
  readonly malformed: readonly Malformed[];
}

/** Reads a foreign entry by a schema whose keys are all optional: a key that is malformed is left out. Undefined for what is no mapping. */
export function readLenient<T>(schema: z.ZodType<T>, input: unknown): Lenient<T> | undefined {
  if (!isMapping(input)) return undefined;
  const malformed: Malformed[] = [];
  const left: Record<string, unknown> = { ...input };
  // Each round leaves out a key at least, of the few that the schema has.
  for (;;) {
    const parsed = schema.safeParse(left);
    if (parsed.success) return { value: parsed.data, malformed };
    const faults = new Map(parsed.error.issues.map(({ path, code }) => [String(path[0] ?? ''), code] as const));
    const removed = [...faults].filter(([key]) => Object.hasOwn(left, key));
    if (removed.length === 0) return undefined;
    for (const [key, code] of removed) {
      delete left[key];
      // The message of an issue may show the value, which may be a secret.
      malformed.push({ key, why: `it is not of the form that the tool writes (${code.replaceAll('_', ' ')})` });
    }
  }
}

/** Whether a value says nothing: null, an empty text or list, a mapping of such values, `false` or 0. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.every(isBlank);
  return isMapping(value) && Object.values(value).every(isBlank);
}
