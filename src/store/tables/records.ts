import { createHash } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { RecordRow } from '../rows.ts';
import { table } from './table.ts';

export type RecordKey = [source: string, type: string, key: string];

export type RecordName = Pick<RecordRow, 'source' | 'type' | 'key'>;

export interface SeenBy {
  readonly first: number;
  readonly last: number;
}

/** What is known of each thing, by source, record type and key. */
export interface RecordTable {
  get(source: string, type: string, key: string): RecordRow | undefined;
  add(row: RecordRow): void;
  /** Stores a record that is known already and that a target, perhaps another one than its own, has seen in a scrape; 0 for a pulse. */
  put(row: RecordRow, seenBy: { readonly target: number; readonly scrape: number }): void;
  /** Stores what is said of a record that is known already and that nobody has seen. */
  update(row: RecordRow): void;
  /** Remembers that a target has seen a record of which it has nothing new to say. */
  see(record: RecordName, seenBy: { readonly target: number; readonly scrape: number }): void;
  /** Which scrapes of a target saw a record; both 0 when only pulses have, and missing when none has. */
  seenBy(target: number, record: RecordName): SeenBy | undefined;
  /** Records that a target has seen, by source, type and key; `after` is the last one of the slice before. */
  ofTarget(target: number, range?: { readonly after?: RecordName; readonly limit?: number }): Iterable<RecordRow>;
  /** How many records a target has seen, counted up to a limit, without reading them. */
  countOfTarget(target: number, limit: number): number;
  rows(): Iterable<RecordRow>;
  count(): number;
}

/** Keys of LMDB have at most 1,978 bytes, and a page may name its things as it likes. */
const maxLength = 300;

/** The key under which a record is stored. One that is long, or no proper Unicode, is told from others by its digest. */
export function recordKey(source: string, type: string, key: string): RecordKey {
  if (key.length <= maxLength && key.isWellFormed()) return [source, type, key];
  const digest = createHash('sha256').update(key, 'utf16le').digest('hex');
  return [source, type, `${key.slice(0, maxLength - digest.length - 1).toWellFormed()}…${digest}`];
}

export function recordTable(environment: Environment): RecordTable {
  const rows = table<RecordKey, RecordRow>(environment, 'records');
  /** With the first and the last scrape of the target that saw it. */
  const byTarget = table<[number, ...RecordKey], SeenBy>(environment, 'records.by_target');
  const put = (row: RecordRow): void => rows.put(recordKey(row.source, row.type, row.key), row);

  return {
    get: (source, type, key) => rows.get(recordKey(source, type, key)),
    add(row) {
      put(row);
      byTarget.put(keyAfter(row.target, row), { first: row.lastScrape, last: row.lastScrape });
    },
    put(row, seenBy) {
      put(row);
      see(row, seenBy);
    },
    update: put,
    see,
    seenBy: (target, record) => byTarget.get(keyAfter(target, record)),
    *ofTarget(target, { after, limit } = {}) {
      const start = after === undefined ? beginning(target) : keyAfter(target, after);
      const range = { after: start, before: beginning(target + 1) };
      for (const [, ...key] of byTarget.keys({ ...range, ...(limit !== undefined && { limit }) })) {
        const row = rows.get(key);
        if (row !== undefined) yield row;
      }
    },
    countOfTarget: (target, limit) =>
      [...byTarget.keys({ after: beginning(target), before: beginning(target + 1), limit })].length,
    rows: () => rows.rows(),
    count: rows.count,
  };

  function see(record: RecordName, { target, scrape }: { readonly target: number; readonly scrape: number }): void {
    const key = keyAfter(target, record);
    const seen = byTarget.get(key);
    const first = seen === undefined || seen.first === 0 ? scrape : seen.first;
    const last = Math.max(seen?.last ?? 0, scrape);
    if (seen?.first !== first || seen.last !== last) byTarget.put(key, { first, last });
  }
}

/** Before all that a target has seen. */
function beginning(target: number): [number, ...RecordKey] {
  return [target] as unknown as [number, ...RecordKey];
}

function keyAfter(target: number, { source, type, key }: RecordName): [number, ...RecordKey] {
  return [target, ...recordKey(source, type, key)];
}
