import { hash } from 'node:crypto';
import type { Value } from '../../extract/value/value.ts';
import { isMapping } from '../../schema/mapping.ts';

/** A column of a warehouse, and how it takes its part of a field's value. */
export interface FieldColumn {
  readonly name: string;
  /** The type that it is made with. */
  readonly type: 'text' | 'bigint' | 'numeric' | 'boolean' | 'date' | 'timestamptz' | 'jsonb';
  /** The member of the value that it holds; missing for the whole value. */
  readonly member?: string;
}

/** The columns that each table has, by name, with their types. */
export const ownColumns = {
  meta_id: 'text',
  meta_source: 'text',
  meta_created: 'timestamptz',
  meta_updated: 'timestamptz',
  _source: 'text',
  _type: 'text',
  _key: 'text',
  _deleted: 'boolean',
} as const;

/** The columns that name a record, in the order of the primary keys. */
export const keyColumns = ['_source', '_type', '_key'] as const;

/** The types of columns by the types of fields; what is not here is kept as JSON. */
const columnTypes: Readonly<Record<string, FieldColumn['type']>> = {
  text: 'text',
  url: 'text',
  file: 'text',
  duration: 'text',
  integer: 'bigint',
  number: 'numeric',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
};

/** The members of values that have a column each. */
const memberColumns: Readonly<Record<string, readonly (readonly [string, FieldColumn['type']])[]>> = {
  money: [
    ['amount', 'numeric'],
    ['currency', 'text'],
    ['per', 'text'],
    ['from', 'boolean'],
  ],
  quantity: [
    ['amount', 'numeric'],
    ['unit', 'text'],
    ['count', 'numeric'],
  ],
};

/** Returns the columns of fields of given types. A name that is taken gets "_" behind it. */
export function columnsOf(fields: ReadonlyMap<string, string>): ReadonlyMap<string, readonly FieldColumn[]> {
  const taken = new Set<string>(Object.keys(ownColumns));
  return new Map(
    Array.from(fields, ([field, type]) => {
      const members = memberColumns[type];
      if (members === undefined) return [field, [{ name: free(field, taken), type: columnTypes[type] ?? 'jsonb' }]];
      return [field, members.map(([member, of]) => ({ name: free(`${field}_${member}`, taken), type: of, member }))];
    }),
  );
}

function free(wanted: string, taken: Set<string>): string {
  let name = boundedName(wanted);
  while (taken.has(name)) name = boundedName(`${name}_`);
  taken.add(name);
  return name;
}

/** Returns the type of a field that no definition declares, by a value of it. */
export function typeOfValue(value: Value): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (isMapping(value) && typeof value['amount'] === 'string' && typeof value['currency'] === 'string') return 'money';
  return 'json';
}

/** Returns the part of a value that a column holds, in the form in which PostgreSQL reads it from JSON. */
export function partOf(value: Value, { member }: FieldColumn): Value {
  const part = member === undefined ? value : isMapping(value) ? value[member] : null;
  return storable(part ?? null);
}

/** Removes what PostgreSQL cannot store: zero bytes and halves of surrogate pairs. */
function storable(value: Value): Value {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storable);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), storable(each)]));
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** The longest name that PostgreSQL does not cut, in bytes. */
const longestName = 63;

/** Returns a name that PostgreSQL takes as it is: of a long one the beginning and a digest. */
export function boundedName(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const digest = hash('sha256', name, 'hex').slice(0, 10);
  // Names of sources, types and fields have one byte a letter.
  return `${name.slice(0, longestName - digest.length - 1)}_${digest}`;
}

/** Quotes a name for a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
