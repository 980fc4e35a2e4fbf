import type { Value } from '../../extract/value/value.ts';
import type { Correction } from '../../view/correction.ts';
import type { RecordView } from '../../view/record.ts';
import { isGone } from '../../view/record-state.ts';
import { columnsOf, type FieldColumn, type keyColumns, partOf, typeOfValue } from './column.ts';
import type { DeclaredType, Message, SinkPorts } from '../sink.ts';
import type { Row } from './statement.ts';
import { tableName } from './table.ts';

/** The ports through which a warehouse reads records. */
export type WarehousePorts = Pick<SinkPorts, 'record' | 'recordType' | 'seenIn' | 'correctedBy'>;

/** The columns that name a record. */
type RecordName = Readonly<Record<(typeof keyColumns)[number], string>>;

/** A record that a message tells of. */
export interface ToldRecord {
  readonly message: Message;
  readonly table: string;
  readonly kind: 'changed' | 'synced' | 'away' | 'removed';
  /** Whether the record is new: values that an earlier record of this key had do not hold for it. */
  readonly isNew: boolean;
  readonly name: RecordName;
  /** The record as it is now; missing where it was removed since. */
  readonly now?: RecordView;
  readonly columns: ReadonlyMap<string, readonly FieldColumn[]>;
  /** The fields that the message tells, with their values. */
  readonly fields: Readonly<Record<string, Value>>;
}

/** Returns the record that a message tells of; `undefined` where it tells of none. */
export function toldRecord(message: Message, ports: WarehousePorts): ToldRecord | undefined {
  const { event } = message;
  if (event?.type.startsWith('record.') !== true || event.source === undefined) return undefined;
  const { source, data } = event;
  if (!('type' in data && 'key' in data)) return undefined;
  const { type, key } = data;
  const declared = ports.recordType({ source, type });
  const now = ports.record({ source, type, key });
  // Of a source that there is not, such as that of a message that tries the sink, nothing is kept.
  if (declared === undefined && now === undefined) return undefined;
  const told = 'fields' in data ? Object.entries(data.fields).map(([name, change]) => [name, change.new] as const) : [];
  const fields = Object.fromEntries(told);
  const values = { ...(now !== undefined && valuesOf(now)), ...fields };
  return {
    message,
    table: tableName({ source, type, ...declared }),
    kind: kindOf(event.type),
    isNew: event.type === 'record.added',
    name: { _source: source, _type: type, _key: key },
    ...(now !== undefined && { now }),
    columns: columnsFor(declared?.fields ?? {}, values),
    fields,
  };
}

function kindOf(type: string): ToldRecord['kind'] {
  if (type === 'record.synced') return 'synced';
  if (type === 'record.removed') return 'removed';
  return type === 'record.missing' || type === 'record.gone' ? 'away' : 'changed';
}

/** The columns of the fields that a definition declares. */
const columnsOfDeclared = new WeakMap<DeclaredType['fields'], ToldRecord['columns']>();

function columnsFor(declared: DeclaredType['fields'], values: Readonly<Record<string, Value>>): ToldRecord['columns'] {
  if (!Object.keys(values).every((name) => Object.hasOwn(declared, name))) return columnsOf(typesOf(declared, values));
  const columns = columnsOfDeclared.get(declared) ?? columnsOf(typesOf(declared, {}));
  columnsOfDeclared.set(declared, columns);
  return columns;
}

/** The types of all fields: those that are declared first, so that their columns are the same in every batch. */
function typesOf(
  declared: Readonly<Record<string, string>>,
  values: Readonly<Record<string, Value>>,
): ReadonlyMap<string, string> {
  const undeclared = Object.entries(values).filter(([name]) => !Object.hasOwn(declared, name));
  return new Map([
    ...Object.entries(declared),
    ...undeclared.map(([name, value]) => [name, typeOfValue(value)] as const),
  ]);
}

/** The row of a record as it is now; `undefined` where it was removed. */
export function rowOf({ now, name, columns, message }: ToldRecord): Row | undefined {
  if (now === undefined) return undefined;
  const { id, url, firstSeenAt, updatedAt } = now;
  return {
    ...name,
    meta_id: id,
    meta_source: url,
    meta_created: instant(firstSeenAt),
    meta_updated: instant(Math.max(updatedAt, message.at)),
    _deleted: isGone(now),
    ...partsOf(valuesOf(now), columns),
  };
}

/** A record whose history was corrected. */
export interface CorrectedRecord extends Pick<Correction, 'record' | 'at' | 'fields'> {
  readonly table: string;
  readonly name: RecordName;
  readonly columns: ToldRecord['columns'];
}

/** Returns a correction with the columns that it is written to. */
export function correctedRecord(correction: Correction, { recordType }: WarehousePorts): CorrectedRecord {
  const { record, fields } = correction;
  const { source, type, key } = record;
  const declared = recordType({ source, type });
  const told = Object.entries(fields).map(([field, { value }]) => [field, value] as const);
  return {
    ...correction,
    table: tableName({ source, type, ...declared }),
    name: { _source: source, _type: type, _key: key },
    columns: columnsFor(declared?.fields ?? {}, { ...valuesOf(record), ...Object.fromEntries(told) }),
  };
}

/** The values of a corrected record as they are now. */
export function presentRow({ record, name, columns }: CorrectedRecord): Row {
  return { ...name, ...partsOf(valuesOf(record), columns) };
}

/** For each field of a correction, what holds from its instant until the next change of the field. */
export function correctedVersions({ at, name, columns, fields }: CorrectedRecord): readonly Row[] {
  return Object.entries(fields).flatMap(([field, { value, until }]) => {
    if (until !== undefined && until <= at) return [];
    const span = { valid_from: instant(at), valid_to: until === undefined ? null : instant(until) };
    return [{ ...name, ...span, ...partsOf({ [field]: value }, columns) }];
  });
}

function valuesOf({ fields }: RecordView): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
}

/** The row of a removed record. */
export function removedRow({ name, message }: ToldRecord): Row {
  return { ...name, _deleted: true, meta_updated: instant(message.at) };
}

/** The change to the row of a record that a scrape saw unchanged. */
export function seenRow({ source, type, key, url, updatedAt }: RecordView): Row {
  return { _source: source, _type: type, _key: key, meta_source: url, meta_updated: instant(updatedAt) };
}

/** The row of history that begins at the instant of a message; `undefined` if the message changes nothing. */
export function versionOf({ kind, message, name, fields, columns }: ToldRecord): Row | undefined {
  if (message.type === 'record.missing') return undefined;
  const isAway = kind === 'away' || kind === 'removed';
  return { ...name, _deleted: isAway, valid_from: instant(message.at), ...partsOf(fields, columns) };
}

function partsOf(fields: Readonly<Record<string, Value>>, columns: ToldRecord['columns']): Row {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) =>
      (columns.get(field) ?? []).map((column) => [column.name, partOf(value, column)] as const),
    ),
  );
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
