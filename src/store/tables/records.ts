import { createHash } from 'node:crypto';
import type { Environment } from '../lmdb/environment.ts';
import type { Value } from '../../extract/value/value.ts';
import type { FieldCell, RecordView } from '../../view/record.ts';
import { table } from '../lmdb/table.ts';

type RecordKey = [source: string, type: string, key: string];

type RecordName = Pick<RecordView, 'source' | 'type' | 'key'>;

/** A part of a target's records, by source, type and key: those after the record `after`. */
export interface RecordSlice {
  readonly after?: RecordName | undefined;
  readonly limit?: number | undefined;
}

/** Records of a part of a target's that its scrapes have not seen lately. */
interface UnseenRecords {
  readonly rows: readonly RecordView[];
  readonly last?: RecordName;
}

/** The target that saw a record, and its scrape; 0 for a pulse. */
interface Sight {
  readonly target: number;
  readonly scrape: number;
}

/**
 * A record as it is stored. Most fields were first observed with their record and last verified with it: only the
 * others have times of their own.
 */
interface RecordRow extends Omit<RecordView, 'fields'> {
  /** Values by field. */
  readonly fields: Readonly<Record<string, Value>>;
  readonly times?: readonly (readonly [field: string, observedAt: number, verifiedAt: number])[];
}

function rowOf(record: RecordView): RecordRow {
  const { firstSeenAt, updatedAt, fields: cells } = record;
  const times: [string, number, number][] = [];
  const fields: Record<string, Value> = { ...cells };
  for (const name of Object.keys(cells)) {
    const cell = cells[name];
    if (cell === undefined) continue;
    fields[name] = cell.value;
    if (cell.observedAt !== firstSeenAt || cell.verifiedAt !== updatedAt)
      times.push([name, cell.observedAt, cell.verifiedAt]);
  }
  return times.length === 0 ? { ...record, fields } : { ...record, fields, times };
}

function viewOf({ times, ...row }: RecordRow): RecordView {
  const { firstSeenAt, updatedAt } = row;
  // In place, which is fast and keeps fields of any name: the row was decoded for this alone.
  const fields = row.fields as Record<string, FieldCell>;
  for (const name of Object.keys(fields))
    fields[name] = { value: row.fields[name] ?? null, observedAt: firstSeenAt, verifiedAt: updatedAt };
  if (times !== undefined)
    for (const [name, observedAt, verifiedAt] of times)
      fields[name] = { value: fields[name]?.value ?? null, observedAt, verifiedAt };
  return { ...row, fields };
}

/** A key of LMDB has at most 1,978 bytes, and a page may name its things at any length. */
const maxLength = 300;

/** The key of a record. A name that is long or not well-formed Unicode is replaced by its beginning and a digest. */
export function recordKey(source: string, type: string, key: string): RecordKey {
  if (key.length <= maxLength && key.isWellFormed()) return [source, type, key];
  const digest = createHash('sha256').update(key, 'utf16le').digest('hex');
  return [source, type, `${key.slice(0, maxLength - digest.length - 1).toWellFormed()}…${digest}`];
}

/** The records, by source, record type and key. */
export function recordTable(environment: Environment) {
  const rows = table<RecordKey, RecordRow>(environment, 'records');
  /** The records that each target saw, with its first and last scrape that did. */
  const byTarget = table<[number, ...RecordKey], { readonly first: number; readonly last: number }>(
    environment,
    'records.by_target',
  );
  const put = (row: RecordView): void => rows.put(recordKey(row.source, row.type, row.key), rowOf(row));

  return {
    get: (source: string, type: string, key: string) => read(recordKey(source, type, key)),
    add(row: RecordView): void {
      put(row);
      byTarget.put(keyAfter(row.target, row), { first: row.lastScrape, last: row.lastScrape });
    },
    /** Stores a known record that a target has seen, perhaps not its own target. */
    put(row: RecordView, seenBy: Sight): void {
      put(row);
      see(row, seenBy);
    },
    /** Stores a known record without noting that a target saw it. */
    update: put,
    see,
    /** The first and last scrape of a target that saw a record: both 0 if only pulses did, `undefined` if none did. */
    seenBy: (target: number, record: RecordName) => byTarget.get(keyAfter(target, record)),
    /** The records that a target has seen. */
    *ofTarget(target: number, { after, limit }: RecordSlice = {}): Iterable<RecordView> {
      const start = after === undefined ? beginning(target) : keyAfter(target, after);
      for (const [, ...key] of byTarget.keys({ after: start, before: beginning(target + 1), limit })) {
        const row = read(key);
        if (row !== undefined) yield row;
      }
    },
    /**
     * Looks at up to `limit` of the records that a target has seen, and reads those that no scrape of it from `since` on
     * has seen. `last` is the last record that was looked at, missing where that was the last of all.
     */
    unseenSince(since: number, target: number, { after, limit }: RecordSlice): UnseenRecords {
      const start = after === undefined ? beginning(target) : keyAfter(target, after);
      const marks = [...byTarget.entries({ after: start, before: beginning(target + 1), limit })];
      const names = marks.map(({ key: [, ...name], row }) => ({ name, isOld: row.last < since }));
      const [source, type, key] = names.at(-1)?.name ?? ['', '', ''];
      return {
        rows: names.flatMap(({ name, isOld }) => (isOld && read(name)) || []),
        ...(marks.length === limit && { last: { source, type, key } }),
      };
    },
    /** The number of records that a target has seen, counted up to `limit`, without reading them. */
    countOfTarget: (target: number, limit: number) =>
      [...byTarget.keys({ after: beginning(target), before: beginning(target + 1), limit })].length,
    *rows(): Iterable<RecordView> {
      for (const row of rows.rows()) yield viewOf(row);
    },
    count: rows.count,
  };

  function read(key: RecordKey): RecordView | undefined {
    const row = rows.get(key);
    return row && viewOf(row);
  }

  /** Writes that a target has seen a record which stays as it is. */
  function see(record: RecordName, { target, scrape }: Sight): void {
    const key = keyAfter(target, record);
    const seen = byTarget.get(key);
    const first = seen === undefined || seen.first === 0 ? scrape : seen.first;
    const last = Math.max(seen?.last ?? 0, scrape);
    if (seen?.first !== first || seen.last !== last) byTarget.put(key, { first, last });
  }
}

/** A key before those of all records that a target has seen: no source has an empty id. */
function beginning(target: number): [number, ...RecordKey] {
  return [target, '', '', ''];
}

function keyAfter(target: number, { source, type, key }: RecordName): [number, ...RecordKey] {
  return [target, ...recordKey(source, type, key)];
}
