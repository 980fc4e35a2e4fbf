import { defined } from '../../defined.ts';
import type { Value } from '../../extract/value/value.ts';
import type { Correction } from '../../view/correction.ts';
import type { RecordView } from '../../view/record.ts';
import { isGone } from '../../view/record-state.ts';
import { columnsOf, type FieldColumn, type keyColumns, partOf, typeOfValue } from './column.ts';
import type { DeclaredType, Message, SinkPorts } from '../sink.ts';
import type { Row } from './statement.ts';
import { tableName } from './table.ts';

/** The ports through which a warehouse reads records. */
export type WarehousePorts = Pick<SinkPorts, 'record' | 'fieldsAfter' | 'recordType' | 'seenIn' | 'correctedBy'>;

/** The columns that name a record. */
type RecordName = Readonly<Record<(typeof keyColumns)[number], string>>;

/** A record that a message tells of, and what is written of it. */
export interface ToldRecord {
  readonly table: string;
  readonly kind: 'changed' | 'synced' | 'away' | 'removed';
  /** Whether the record is new: values that an earlier record of this key had do not hold for it. */
  readonly isNew: boolean;
  readonly columns: ReadonlyMap<string, readonly FieldColumn[]>;
  /** The row of the record as it is now, or the change to the row of a removed one. Missing for a record that was removed later. */
  readonly row?: Row;
  /** The row of history that begins at the instant of the message. Missing if the message changes nothing. */
  readonly version?: Row;
  /** All fields of the record after the message. Missing where the message tells all of them, and for a removed record. */
  readonly base?: Row;
}

/** Returns the record that a message tells of; `undefined` where it tells of none. */
export function toldRecord(message: Message, ports: WarehousePorts, hasHistory: boolean): ToldRecord | undefined {
  const { event } = message;
  if (event?.type.startsWith('record.') !== true || event.source === undefined) return undefined;
  const { source, data } = event;
  if (!('type' in data && 'key' in data)) return undefined;
  const { type, key } = data;
  const declared = ports.recordType({ source, type });
  const now = ports.record({ source, type, key });
  // Of a source that there is not, such as that of a message that tries the sink, nothing is kept.
  if (declared === undefined && now === undefined) return undefined;
  const changes = 'fields' in data ? Object.entries(data.fields) : [];
  const fields = Object.fromEntries(changes.map(([name, change]) => [name, change.new] as const));
  const present = now === undefined ? {} : valuesOf(now);
  const columns = columnsFor(declared?.fields ?? {}, { ...present, ...fields });
  const name = { _source: source, _type: type, _key: key };
  const kind = kindOf(event.type);
  const isNew = event.type === 'record.added';
  const told = { table: tableName({ source, type, ...declared }), kind, isNew, columns };
  const at = instant(message.at);
  const row =
    kind === 'removed'
      ? { ...name, _deleted: true, meta_updated: at }
      : now && { ...name, ...metaOf(now, message.at), ...partsOf(present, columns) };
  if (!hasHistory || event.type === 'record.missing') return { ...told, ...defined({ row }) };
  const isAway = kind === 'away' || kind === 'removed';
  const version = { ...name, _deleted: isAway, valid_from: at, ...partsOf(fields, columns) };
  const isPart = now !== undefined && !isNew && kind !== 'synced';
  const base = isPart ? { ...name, ...partsOf(ports.fieldsAfter(now, event.id), columns) } : undefined;
  return { ...told, ...defined({ row, version, base }) };
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

/** The columns of a record besides those of its name and fields. */
function metaOf(now: RecordView, at: number): Row {
  return {
    meta_id: now.id,
    meta_source: now.url,
    meta_created: instant(now.firstSeenAt),
    meta_updated: instant(Math.max(now.updatedAt, at)),
    _deleted: isGone(now),
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

/** The change to the row of a record that a scrape saw unchanged. */
export function seenRow({ source, type, key, url, updatedAt }: RecordView): Row {
  return { _source: source, _type: type, _key: key, meta_source: url, meta_updated: instant(updatedAt) };
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
