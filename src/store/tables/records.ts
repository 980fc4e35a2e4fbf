import { createHash } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { RecordRow } from '../rows.ts';
import { table } from './table.ts';

export type RecordKey = [source: string, type: string, key: string];

/** What is known of each thing, by source, record type and key. */
export interface RecordTable {
  get(source: string, type: string, key: string): RecordRow | undefined;
  add(row: RecordRow): void;
  /** Stores a record that is known already and that a target, perhaps another one than its own, has seen in a scrape; 0 for a pulse. */
  put(row: RecordRow, seenBy: { readonly target: number; readonly scrape: number }): void;
  /** The first scrape of a target that saw a record; 0 when only pulses have, and missing when none has. */
  firstScrape(target: number, record: Pick<RecordRow, 'source' | 'type' | 'key'>): number | undefined;
  /** Records that a target has seen, by source, type and key; `after` is the last one of the slice before. */
  ofTarget(
    target: number,
    range?: { readonly after?: Pick<RecordRow, 'source' | 'type' | 'key'>; readonly limit?: number },
  ): Iterable<RecordRow>;
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
  /** With the first scrape that saw it. */
  const byTarget = table<[number, ...RecordKey], number>(environment, 'records.by_target');
  const put = (row: RecordRow): void => rows.put(recordKey(row.source, row.type, row.key), row);

  return {
    get: (source, type, key) => rows.get(recordKey(source, type, key)),
    add(row) {
      put(row);
      byTarget.put(keyAfter(row.target, row), row.lastScrape);
    },
    put(row, seenBy) {
      put(row);
      const key = keyAfter(seenBy.target, row);
      const first = byTarget.get(key);
      if (first === undefined || (first === 0 && seenBy.scrape > 0)) byTarget.put(key, seenBy.scrape);
    },
    firstScrape: (target, record) => byTarget.get(keyAfter(target, record)),
    *ofTarget(target, { after, limit } = {}) {
      const start = after === undefined ? ([target] as unknown as [number, ...RecordKey]) : keyAfter(target, after);
      const range = { after: start, before: [target + 1] as unknown as [number, ...RecordKey] };
      for (const [, ...key] of byTarget.keys({ ...range, ...(limit !== undefined && { limit }) })) {
        const row = rows.get(key);
        if (row !== undefined) yield row;
      }
    },
    rows: () => rows.rows(),
    count: rows.count,
  };
}

function keyAfter(
  target: number,
  { source, type, key }: Pick<RecordRow, 'source' | 'type' | 'key'>,
): [number, ...RecordKey] {
  return [target, ...recordKey(source, type, key)];
}
