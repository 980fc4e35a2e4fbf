import { createHash } from 'node:crypto';
import { defined } from '../../defined.ts';
import type { Environment } from '../lmdb/environment.ts';
import type { Value } from '../../extract/value/value.ts';
import type { FieldCell, RecordView } from '../../view/record.ts';
import { numberedTable, type Table, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

type RecordName = Pick<RecordView, 'source' | 'type' | 'key'>;

/** A part of a target's records, in the order of their numbers: those after the record number `after`. */
export interface RecordSlice {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** The records that were found in one slice of a target's records. */
export interface RecordsOfSlice {
  /** The number of the others that were looked at. */
  readonly others: number;
  readonly rows: readonly RecordView[];
  /** The number of the last record that was looked at; missing where it was the last of all. */
  readonly last?: number;
}

/** The target that saw a record, and its scrape; 0 for a pulse. */
export interface Sight {
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
export interface SightingRow extends Pick<
  RecordView,
  'updatedAt' | 'lastScrape' | 'url' | 'page' | 'held' | 'candidates'
> {
  /** When fields were last verified that were not verified last with their record. */
  readonly verified?: Instants;
}

/** What is left of a removed record, so that its history can be told. */
interface RemovedRow extends RecordName {
  readonly target: number;
}

function rowsOf(view: RecordView): [RecordRow, SightingRow] {
  const { record: _, updatedAt, lastScrape, url, page, held, candidates, ...record } = view;
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
    { updatedAt, lastScrape, url, ...defined({ page, held, candidates }), ...(verified.length > 0 && { verified }) },
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
  const rows = numberedTable<RecordRow | RemovedRow>(environment, 'records', (_, name) =>
    namingSources(environment, table<number, RecordRow | RemovedRow>(environment, name), { row: ownSource }),
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
  /** The records that were removed, by the target that they belonged to. */
  const removed = table<[target: number, record: number], 1>(environment, 'records.removed');

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
     * Removes a record: seen again, it is a new one. Its name stays for its history, and marks of other targets that saw it.
     */
    remove({ record, target, source, type, key }: RecordView): void {
      rows.put(record, { source, type, key, target });
      sightings.remove(record);
      byName.remove(nameKey({ source, type, key }));
      byTarget.remove([target, record]);
      removed.put([target, record], 1);
    },
    /** Forgets the name of a record, if it is a removed one; it must have no history. */
    forgetName(record: number): void {
      const row = rows.get(record);
      if (row === undefined || 'fields' in row) return;
      // A number is never given again, and the next one follows from the last row.
      if (record === rows.last()) rows.put(record, { source: '', type: '', key: '', target: 0 });
      else rows.remove(record);
      removed.remove([row.target, record]);
    },
    /** The numbers of up to `limit` records after `after`, removed ones among them. */
    numbersAfter: (after: number, limit: number) => [...rows.keys({ after, limit })],
    /** The source, type and key of a record, removed or not. */
    nameOf(record: number): RecordName | undefined {
      return rows.get(record);
    },
    /** The first and last scrape of a target that saw a record: both 0 if only pulses did, `undefined` if none did. */
    seenBy(target: number, name: RecordName) {
      const record = byName.get(nameKey(name));
      return record === undefined ? undefined : byTarget.get([target, record]);
    },
    /** The first and last scrape of a target that saw a record, by the number of the record. */
    seenByNumber: (target: number, record: number) => byTarget.get([target, record]),
    /** The records that a target has seen. */
    *ofTarget(target: number, { after = 0, limit = Infinity }: RecordSlice = {}): Iterable<RecordView> {
      let left = limit;
      if (left <= 0) return;
      for (const [, record] of byTarget.keys({ after: [target, after], before: [target + 1, 0] })) {
        const view = read(record);
        if (view === undefined) continue;
        yield view;
        left -= 1;
        if (left === 0) return;
      }
    },
    /** The newest record that a target has seen. */
    newestOfTarget(target: number): RecordView | undefined {
      for (const [, record] of byTarget.keys({ after: [target, 0], before: [target + 1, 0], newestFirst: true })) {
        const view = read(record);
        if (view !== undefined) return view;
      }
      return undefined;
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
    unseenSince: (since: number, target: number, slice: RecordSlice) =>
      ofMarks(target, ({ last }) => last < since, slice),
    /** Looks at up to `limit` of the records that a target has seen, and reads those that its scrape `scrape` has seen last. */
    seenLastIn: (scrape: number, target: number, slice: RecordSlice) =>
      ofMarks(target, ({ last }) => last === scrape, slice),
    /** Looks at the records that a target has seen, those after the record `after`, and says of each whether its scrape `scrape` was the first to. */
    *firstSeenIn(scrape: number, target: number, after = 0): Iterable<{ record: number; isFirst: boolean }> {
      for (const { key, row } of byTarget.entries({ after: [target, after], before: [target + 1, 0] }))
        yield { record: key[1], isFirst: row.first === scrape };
    },
    /** Forgets that a target has seen a record of another one, or a removed one. */
    forget(target: number, record: number): void {
      byTarget.remove([target, record]);
      removed.remove([target, record]);
    },
    /** The numbers of up to `limit` records that a target has seen, after the record `after`; without its own removed ones. */
    numbersOfTarget: (target: number, { after = 0, limit }: RecordSlice = {}) =>
      numbersIn(byTarget, target, after, limit),
    /** The numbers of up to `limit` removed records of a target, after the record `after`. */
    removedOfTarget: (target: number, { after = 0, limit }: RecordSlice = {}) =>
      numbersIn(removed, target, after, limit),
    /** The number of a source's records of a type, counted up to `limit`, without reading them. */
    countOfType: (source: string, type: string, limit: number) =>
      [...byName.keys({ from: byType(source, type), before: byType(source, `${type}\0`), limit })].length,
    /** The number of records that a target has seen, counted up to `limit`, without reading them. */
    countOfTarget: (target: number, limit: number) =>
      [...byTarget.keys({ after: [target, 0], before: [target + 1, 0], limit })].length,
    /** All records in the order of their numbers, those after the number `after`. */
    *rows(after = 0): Iterable<RecordView> {
      for (const { key: record, row } of rows.entries({ after })) {
        const sighting = 'fields' in row ? sightings.get(record) : undefined;
        if ('fields' in row && sighting !== undefined) yield viewOf(record, row, sighting);
      }
    },
    /** The number of the newest record, removed or not; 0 before the first. */
    last: rows.last,
    count: sightings.count,
  };

  /** Looks at up to `limit` of the records that a target has seen, and reads those whose marks are as wanted. */
  function ofMarks(
    target: number,
    isWanted: (mark: { readonly first: number; readonly last: number }) => boolean,
    { after = 0, limit }: RecordSlice,
  ): RecordsOfSlice {
    const marks = [...byTarget.entries({ after: [target, after], before: [target + 1, 0], limit })];
    const wanted = marks.filter(({ row }) => isWanted(row));
    const last = marks.length === limit ? marks.at(-1)?.key[1] : undefined;
    const others = marks.length - wanted.length;
    return { others, rows: wanted.flatMap(({ key }) => read(key[1]) ?? []), ...(last !== undefined && { last }) };
  }

  function read(record: number): RecordView | undefined {
    const row = rows.get(record);
    if (row === undefined || !('fields' in row)) return undefined;
    const sighting = sightings.get(record);
    return sighting && viewOf(record, row, sighting);
  }

  /** Stores that a target has seen a record which stays as it is. */
  function see(record: number, { target, scrape }: Sight): void {
    const seen = byTarget.get([target, record]);
    const first = seen === undefined || seen.first === 0 ? scrape : seen.first;
    const last = Math.max(seen?.last ?? 0, scrape);
    if (seen?.first !== first || seen.last !== last) byTarget.put([target, record], { first, last });
  }
}

function numbersIn(
  marks: Pick<Table<[number, number], unknown>, 'keys'>,
  target: number,
  after: number,
  limit: number | undefined,
): number[] {
  return Array.from(marks.keys({ after: [target, after], before: [target + 1, 0], limit }), ([, record]) => record);
}
