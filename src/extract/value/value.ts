/** A field's value as stored: JSON, with money as `{ amount, currency }` (amount a decimal string) and instants as ISO 8601 text. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

/** Whether a value is a list; `Array.isArray` does not tell read-only lists from objects. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a required field lacks a value: it has none, null or a list without elements. */
export function isLacking(value: Value | undefined): boolean {
  return value === undefined || value === null || (isList(value) && value.length === 0);
}

/** Elements of a list that a rule or a filter makes, at most. */
export const maxElements = 10_000;
