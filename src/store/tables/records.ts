import { createHash } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { RecordRow } from '../rows.ts';
import { table } from './table.ts';

export type RecordKey = [source: string, type: string, key: string];

/** What is known of each thing, by source, record type and key. */
export interface RecordTable {
  get(source: string, type: string, key: string): RecordRow | undefined;
  add(row: RecordRow): void;
  /** Stores a record that is known already and that a target, perhaps another one than its own, has seen. */
  put(row: RecordRow, seenBy: number): void;
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
  const byTarget = table<[number, ...RecordKey], 1>(environment, 'records.by_target');
  const put = (row: RecordRow): void => rows.put(recordKey(row.source, row.type, row.key), row);

  return {
    get: (source, type, key) => rows.get(recordKey(source, type, key)),
    add(row) {
      put(row);
      byTarget.put([row.target, ...recordKey(row.source, row.type, row.key)], 1);
    },
    put(row, seenBy) {
      put(row);
      const key: [number, ...RecordKey] = [seenBy, ...recordKey(row.source, row.type, row.key)];
      if (seenBy !== row.target && !byTarget.has(key)) byTarget.put(key, 1);
    },
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
