import { createHash } from 'node:crypto';
import { defined } from '../../defined.ts';
import type { Environment } from '../lmdb/environment.ts';
import type { Value } from '../../extract/value/value.ts';
import type { FieldCell, RecordView } from '../../view/record.ts';
import { numberedTable, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

type RecordName = Pick<RecordView, 'source' | 'type' | 'key'>;

/** A part of a target's records, in the order of their numbers: those after the record number `after`. */
export interface RecordSlice {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** Records of a part of a target's that its scrapes have not seen lately. */
interface UnseenRecords {
  readonly rows: readonly RecordView[];
  /** The number of the last record that was looked at; missing where it was the last of all. */
  readonly last?: number;
}

/** The target that saw a record, and its scrape; 0 for a pulse. */
interface Sight {
  readonly target: number;
  readonly scrape: number;
}

/** The instant of each field that has one of its own. */
type Instants = readonly (readonly [field: string, at: number])[];

/** A record's content. Written only when the content changes. */
interface RecordRow extends Omit<RecordView, 'record' | 'fields' | keyof SightingRow> {
  /** Values by field. */
  readonly fields: Readonly<Record<string, Value>>;
  /** When fields were first observed that were not observed first with their record. */
  readonly observed?: Instants;
}

/** When and where a record was last seen. The small row that each sighting writes. */
interface SightingRow extends Pick<RecordView, 'updatedAt' | 'lastScrape' | 'url' | 'page'> {
  /** When fields were last verified that were not verified last with their record. */
  readonly verified?: Instants;
}

function rowsOf(view: RecordView): [RecordRow, SightingRow] {
  const { record: _, updatedAt, lastScrape, url, page, ...record } = view;
  const observed: [string, number][] = [];
  const verified: [string, number][] = [];
  const fields: Record<string, Value> = { ...record.fields };
  for (const name of Object.keys(record.fields)) {
    const cell = record.fields[name];
    if (cell === undefined) continue;
    fields[name] = cell.value;
    if (cell.observedAt !== record.firstSeenAt) observed.push([name, cell.observedAt]);
    if (cell.verifiedAt !== updatedAt) verified.push([name, cell.verifiedAt]);
  }
  return [
    { ...record, fields, ...(observed.length > 0 && { observed }) },
    { updatedAt, lastScrape, url, ...defined({ page }), ...(verified.length > 0 && { verified }) },
  ];
}

function viewOf(record: number, { observed, ...row }: RecordRow, { verified, ...seen }: SightingRow): RecordView {
  // In place, which is fast and keeps fields of any name: the row was decoded for this alone.
  const fields = row.fields as Record<string, FieldCell>;
  for (const name of Object.keys(fields))
    fields[name] = { value: row.fields[name] ?? null, observedAt: row.firstSeenAt, verifiedAt: seen.updatedAt };
  for (const [name, observedAt] of observed ?? []) {
    const cell = fields[name];
    if (cell !== undefined) fields[name] = { ...cell, observedAt };
  }
  for (const [name, verifiedAt] of verified ?? []) {
    const cell = fields[name];
    if (cell !== undefined) fields[name] = { ...cell, verifiedAt };
  }
  return { record, ...row, ...seen, fields };
}

/** A key of LMDB has at most 1,978 bytes, and a page may name its things at any length. */
const maxLength = 300;

/** The name of a record as a key. A name that is long or not well-formed Unicode is replaced by its beginning and a digest. */
function nameKey({ source, type, key }: RecordName): [source: string, type: string, key: string] {
  if (key.length <= maxLength && key.isWellFormed()) return [source, type, key];
  const digest = createHash('sha256').update(key, 'utf16le').digest('hex');
  return [source, type, `${key.slice(0, maxLength - digest.length - 1).toWellFormed()}…${digest}`];
}

/** The place in the order of names before all records of a type of a source. */
function byType(source: string, type: string): [source: string, type: string, key: string] {
  return [source, type, ''];
}

/** The records, by number. What a record is and when it was last seen are rows of their own, as a sighting seldom changes the first. */
export function recordTable(environment: Environment) {
  const rows = numberedTable<RecordRow>(environment, 'records', (_, name) =>
    namingSources(environment, table<number, RecordRow>(environment, name), { row: ownSource }),
  );
  const sightings = table<number, SightingRow>(environment, 'records.sightings');
  const byName = namingSources(
    environment,
    table<[source: string, type: string, key: string], number>(environment, 'records.by_name'),
    { key: 0 },
  );
  /** The records that each target saw, with its first and last scrape that did. */
  const byTarget = table<[target: number, record: number], { readonly first: number; readonly last: number }>(
    environment,
    'records.by_target',
  );

  return {
    get(source: string, type: string, key: string): RecordView | undefined {
      const record = byName.get(nameKey({ source, type, key }));
      return record === undefined ? undefined : read(record);
    },
    byNumber: read,
    /** Stores a new record under the next number. */
    add(view: Omit<RecordView, 'record'>): RecordView {
      const record = rows.last() + 1;
      const added = { record, ...view };
      const [row, sighting] = rowsOf(added);
      rows.add(() => row);
      sightings.append(record, sighting);
      byName.put(nameKey(view), record);
      byTarget.put([view.target, record], { first: view.lastScrape, last: view.lastScrape });
      return added;
    },
    /** Stores a record that a target has seen, perhaps not its own target, and whose content has changed. */
    put(view: RecordView, seenBy: Sight): void {
      const [row, sighting] = rowsOf(view);
      rows.put(view.record, row);
      sightings.put(view.record, sighting);
      see(view.record, seenBy);
    },
    /** Stores that a target has seen a record whose content is as it was. */
    confirm(view: RecordView, seenBy: Sight): void {
      sightings.put(view.record, rowsOf(view)[1]);
      see(view.record, seenBy);
    },
    /** Stores the content of a record that nobody has seen just now. */
    update: (view: RecordView) => rows.put(view.record, rowsOf(view)[0]),
    /** Stores a record whose own page was read, without a sighting in a list; its content only where that has changed. */
    putPage(view: RecordView, isChanged: boolean): void {
      const [row, sighting] = rowsOf(view);
      if (isChanged) rows.put(view.record, row);
      sightings.put(view.record, sighting);
    },
    see,
    /**
     * Removes a record: seen again, it is a new one. Of other targets that saw it, a mark stays that leads to nothing.
     */
    remove({ record, target, ...name }: RecordView): void {
      // A number is never given again, and the next one follows from the last row.
      if (record === rows.last()) rows.put(record, { source: '' } as RecordRow);
      else rows.remove(record);
      sightings.remove(record);
      byName.remove(nameKey(name));
      byTarget.remove([target, record]);
    },
    /** The first and last scrape of a target that saw a record: both 0 if only pulses did, `undefined` if none did. */
    seenBy(target: number, name: RecordName) {
      const record = byName.get(nameKey(name));
      return record === undefined ? undefined : byTarget.get([target, record]);
    },
    /** The first and last scrape of a target that saw a record, by the number of the record. */
    seenByNumber: (target: number, record: number) => byTarget.get([target, record]),
    /** The records that a target has seen. */
    *ofTarget(target: number, { after = 0, limit }: RecordSlice = {}): Iterable<RecordView> {
      for (const [, record] of byTarget.keys({ after: [target, after], before: [target + 1, 0], limit })) {
        const view = read(record);
        if (view !== undefined) yield view;
      }
    },
    /** The records of a type of a source in the order of their keys, those after the key `after`. */
    *ofType(source: string, type: string, after?: string): Iterable<RecordView> {
      const from =
        after === undefined ? { from: byType(source, type) } : { after: nameKey({ source, type, key: after }) };
      for (const record of byName.rows({ ...from, before: byType(source, `${type}\0`) })) {
        const view = read(record);
        if (view !== undefined) yield view;
      }
    },
    /** Looks at up to `limit` of the records that a target has seen, and reads those that no scrape of it from `since` on has seen. */
    unseenSince(since: number, target: number, { after = 0, limit }: RecordSlice): UnseenRecords {
      const marks = [...byTarget.entries({ after: [target, after], before: [target + 1, 0], limit })];
      const old = marks.filter(({ row }) => row.last < since);
      const last = marks.length === limit ? marks.at(-1)?.key[1] : undefined;
      return { rows: old.flatMap(({ key }) => read(key[1]) ?? []), ...(last !== undefined && { last }) };
    },
    /** Forgets that a target has seen a record of another one. */
    forget: (target: number, record: number) => byTarget.remove([target, record]),
    /** The numbers of up to `limit` of the records that a target has seen, removed ones among them. */
    numbersOfTarget: (target: number, limit: number) =>
      [...byTarget.keys({ after: [target, 0], before: [target + 1, 0], limit })].map(([, record]) => record),
    /** The number of a source's records of a type, counted up to `limit`, without reading them. */
    countOfType: (source: string, type: string, limit: number) =>
      [...byName.keys({ from: byType(source, type), before: byType(source, `${type}\0`), limit })].length,
    /** The number of records that a target has seen, counted up to `limit`, without reading them. */
    countOfTarget: (target: number, limit: number) =>
      [...byTarget.keys({ after: [target, 0], before: [target + 1, 0], limit })].length,
    *rows(): Iterable<RecordView> {
      for (const record of rows.keys()) {
        const view = read(record);
        if (view !== undefined) yield view;
      }
    },
    count: sightings.count,
  };

  function read(record: number): RecordView | undefined {
    const row = rows.get(record);
    const sighting = row && sightings.get(record);
    return row && sighting && viewOf(record, row, sighting);
  }

  /** Stores that a target has seen a record which stays as it is. */
  function see(record: number, { target, scrape }: Sight): void {
    const seen = byTarget.get([target, record]);
    const first = seen === undefined || seen.first === 0 ? scrape : seen.first;
    const last = Math.max(seen?.last ?? 0, scrape);
    if (seen?.first !== first || seen.last !== last) byTarget.put([target, record], { first, last });
  }
}
