/** The properties of `T` that may be undefined become optional; the others stay as they are. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy of an object without the properties whose value is `undefined`: a missing value becomes a missing key.
 * Used as `{ id, ...defined({ label, dueAt }) }`.
 */
export function defined<T extends object>(fields: T): Defined<T>;
export function defined(fields: Readonly<Record<string, unknown>>): object {
  const kept: Record<string, unknown> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept;
}
