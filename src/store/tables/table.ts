import type { RangeOptions } from 'lmdb';
import type { Environment } from '../environment.ts';

/** Numbers come before texts, and a list before a longer one that it begins. */
export type TableKey = string | number | (string | number)[];

/** A part of a table, in the order of its keys. */
export interface Range<K extends TableKey> {
  /** The first key; `after` is that key without itself. Where one could not be stored, the range is empty. */
  readonly from?: K;
  readonly after?: K;
  /** The first key that is not part of it. */
  readonly before?: K;
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

/** Rows by key. Reading is possible at any time and sees what is committed; writing only within a transaction. */
export interface Table<K extends TableKey, V> {
  readonly get: (key: K) => V | undefined;
  readonly has: (key: K) => boolean;
  readonly put: (key: K, row: V) => void;
  /** As `put`, faster, for a key beyond all others; throws when it is not. */
  readonly append: (key: K, row: V) => void;
  /** Whether there was such a row. */
  readonly remove: (key: K) => boolean;
  /** To be read within the turn in which it is asked for. */
  readonly keys: (range?: Range<K>) => Iterable<K>;
  readonly rows: (range?: Range<K>) => Iterable<V>;
  readonly entries: (range?: Range<K>) => Iterable<{ readonly key: K; readonly row: V }>;
  readonly lastKey: () => K | undefined;
  /** How many rows there are, without reading them. */
  readonly count: () => number;
}

/** The table `name` of an environment, made when missing. The one place where a row's type is taken on trust. */
export function table<K extends TableKey, V>(environment: Environment, name: string): Table<K, V> {
  const database = environment.database<V>(name);

  return {
    get: (key) => (fits(key) ? database.get(key) : undefined),
    has: (key) => fits(key) && database.doesExist(key),
    put(key, row) {
      inTransaction();
      database.putSync(key, row);
    },
    append(key, row) {
      inTransaction();
      const added: unknown = database.putSync(key, row, { append: true });
      if (added !== true) {
        throw new Error(`${name}: expected a key beyond the last one, got ${JSON.stringify(key)}`);
      }
    },
    remove(key) {
      inTransaction();
      return database.removeSync(key);
    },
    keys: (range) => database.getKeys(optionsOf(range)) as Iterable<K>,
    rows: (range) => database.getRange(optionsOf(range)).map(({ value }) => value),
    entries: (range) => database.getRange(optionsOf(range)).map(({ key, value }) => ({ key: key as K, row: value })),
    lastKey() {
      for (const key of database.getKeys({ reverse: true, limit: 1 })) return key as K;
      return undefined;
    },
    count: () => (database.getStats() as { readonly entryCount: number }).entryCount,
  };

  /** Outside of one lmdb-js would put the write off, and nobody would learn whether it was made. */
  function inTransaction(): void {
    if (!environment.isWriting()) throw new Error(`${name}: expected to be written within a transaction`);
  }
}

/** No key has more bytes than 1,978, which is what a text of so many units may take. */
const maxUnits = 600;

/** Whether a row could be stored under a key; lmdb-js throws when it is asked for one that is too long. */
function fits(key: TableKey): boolean {
  if (typeof key === 'number') return true;
  if (typeof key === 'string') return key.length <= maxUnits;
  return key.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) <= maxUnits;
}

/** Backwards, lmdb-js takes its start for the upper end, which it includes, and leaves its end out. */
function optionsOf<K extends TableKey>({
  from,
  after,
  before,
  limit,
  newestFirst = false,
}: Range<K> = {}): RangeOptions {
  const [lower, upper] = [after ?? from, before];
  if ([lower, upper].some((bound) => bound !== undefined && !fits(bound))) return { limit: 0 };
  const bounds: RangeOptions = newestFirst
    ? {
        reverse: true,
        ...(upper !== undefined && { start: upper, exclusiveStart: true }),
        ...(lower !== undefined && { end: lower, inclusiveEnd: after === undefined }),
      }
    : {
        ...(lower !== undefined && { start: lower, exclusiveStart: after !== undefined }),
        ...(upper !== undefined && { end: upper }),
      };
  return { ...bounds, ...(limit !== undefined && { limit }) };
}
