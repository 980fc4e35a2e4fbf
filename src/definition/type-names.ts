/** The record types of a source, as far as their names go. */
type Records = Readonly<Record<string, { readonly is?: string | undefined }>>;

/** Returns the names that a record type goes by: its own, and that of the shared type that it is. A type that is not declared has its own alone. */
export function typeNames(records: Records | undefined, type: string): readonly string[] {
  const is = records !== undefined && Object.hasOwn(records, type) ? records[type]?.is : undefined;
  return is === undefined ? [type] : [type, is];
}

/** Returns the record types of a source that go by a name. */
export function typesNamed(records: Records, name: string): readonly string[] {
  return Object.keys(records).filter((type) => typeNames(records, type).includes(name));
}

/** Returns the names that any record type of some sources goes by, each once. */
export function allTypeNames(sources: Iterable<{ readonly records: Records }>): ReadonlySet<string> {
  const names = Array.from(sources, ({ records }) => Object.keys(records).flatMap((type) => typeNames(records, type)));
  return new Set(names.flat());
}
