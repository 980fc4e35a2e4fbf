import type { RangeOptions } from 'lmdb';
import type { Encoding, Environment } from './environment.ts';

/** Numbers come before texts, and a list before a longer one that begins with it. */
export type TableKey = string | number | (string | number)[];

/** A part of the rows that belong together, such as those of a target, in the order of their last number. */
export interface NumberRange {
  /** The number of the row that the slice before ended with; of rows with the newest first, `before` in its place. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

/** A part of a table, in the order of its keys. */
export interface Range<K extends TableKey> {
  /** The first key; `after` excludes that key. A range of a key that is too long to be stored is empty. */
  readonly from?: K | undefined;
  readonly after?: K | undefined;
  /** The first key after the range. */
  readonly before?: K | undefined;
  readonly limit?: number | undefined;
  /** Rows that are passed over at the beginning. Default: 0. */
  readonly offset?: number | undefined;
  readonly newestFirst?: boolean;
}

/**
 * Rows by key. Reads are possible at any time and see what is committed; writes throw outside of a
 * transaction.
 */
export interface Table<K extends TableKey, V> {
  readonly get: (key: K) => V | undefined;
  readonly has: (key: K) => boolean;
  readonly put: (key: K, row: V) => void;
  /** Puts a row unless there is one, faster than `has` and `put`. Returns whether it did. */
  readonly putNew: (key: K, row: V) => boolean;
  /** Puts a row whose key comes after all others, faster than `put`; throws for any other key. */
  readonly append: (key: K, row: V) => void;
  /** Returns whether there was such a row. */
  readonly remove: (key: K) => boolean;
  /** Removes the rows of a range. Returns their number. */
  readonly removeRange: (range: Range<K>) => number;
  /** To be iterated within the turn of the event loop in which it is called, as `rows` and `entries`. */
  readonly keys: (range?: Range<K>) => Iterable<K>;
  readonly rows: (range?: Range<K>) => Iterable<V>;
  readonly entries: (range?: Range<K>) => Iterable<{ readonly key: K; readonly row: V }>;
  readonly lastKey: () => K | undefined;
  /** Number of rows, without reading them. */
  readonly count: () => number;
  /** Number of rows of a range, without reading them. */
  readonly countIn: (range: Range<K>) => number;
}

/** Opens the table `name`, which is made when missing. Rows are trusted to be of type `V`. Its writes throw outside a transaction. */
export function table<K extends TableKey, V>(environment: Environment, name: string, encoding?: Encoding): Table<K, V> {
  const database = environment.database<V>(name, encoding);

  return {
    get: (key) => (fits(key) ? database.get(key) : undefined),
    has: (key) => fits(key) && database.doesExist(key),
    put(key, row) {
      inTransaction();
      database.putSync(key, row);
      environment.changed(name, key);
    },
    putNew(key, row) {
      inTransaction();
      const added: unknown = database.putSync(key, row, { noOverwrite: true });
      if (added === true) environment.changed(name, key);
      return added === true;
    },
    append(key, row) {
      inTransaction();
      const added: unknown = database.putSync(key, row, { append: true });
      if (added !== true) {
        throw new Error(`${name}: expected a key beyond the last one, got ${JSON.stringify(key)}`);
      }
      environment.changed(name, key);
    },
    remove(key) {
      inTransaction();
      const isRemoved = database.removeSync(key);
      if (isRemoved) environment.changed(name, key);
      return isRemoved;
    },
    removeRange(range) {
      inTransaction();
      const keys = [...database.getKeys(optionsOf(range))];
      for (const key of keys) {
        database.removeSync(key);
        environment.changed(name, key as K);
      }
      return keys.length;
    },
    keys: (range) => database.getKeys(optionsOf(range)) as Iterable<K>,
    rows: (range) => database.getRange(optionsOf(range)).map(({ value }) => value),
    entries: (range) => database.getRange(optionsOf(range)).map(({ key, value }) => ({ key: key as K, row: value })),
    lastKey() {
      for (const key of database.getKeys({ reverse: true, limit: 1 })) return key as K;
      return undefined;
    },
    count: () => (database.getStats() as { readonly entryCount: number }).entryCount,
    countIn: (range) => database.getKeysCount(optionsOf(range)),
  };

  /** Throws outside of a transaction: lmdb-js would write later, and nobody would learn whether it did. */
  function inTransaction(): void {
    if (!environment.isWriting()) throw new Error(`${name}: expected to be written within a transaction`);
  }
}

/** How the rows of a table are stored. */
export interface Packing<K extends TableKey, V, P> {
  readonly pack: (row: V, key: K) => P;
  readonly unpack: (packed: P, key: K) => V;
}

/** A table of rows that are stored as what `pack` makes of them. */
export function packedTable<K extends TableKey, V, P>(
  packed: Table<K, P>,
  { pack, unpack }: Packing<K, V, P>,
): Table<K, V> {
  return {
    ...packed,
    get(key) {
      const row = packed.get(key);
      return row === undefined ? undefined : unpack(row, key);
    },
    put: (key, row) => packed.put(key, pack(row, key)),
    putNew: (key, row) => packed.putNew(key, pack(row, key)),
    append: (key, row) => packed.append(key, pack(row, key)),
    *rows(range) {
      for (const { key, row } of packed.entries(range)) yield unpack(row, key);
    },
    *entries(range) {
      for (const { key, row } of packed.entries(range)) yield { key, row: unpack(row, key) };
    },
  };
}

/** Puts rows by key, and removes those that are `undefined`. Throws outside a transaction. */
export function putOrRemove<K extends TableKey, V>(
  rows: Pick<Table<K, V>, 'put' | 'remove'>,
  changed: Iterable<readonly [K, V | undefined]>,
): void {
  for (const [key, row] of changed) {
    if (row === undefined) rows.remove(key);
    else rows.put(key, row);
  }
}

/** UTF-16 units of a key that always fit: LMDB allows 1,978 bytes. */
const maxUnits = 600;

/** Whether a key can be stored; lmdb-js throws for one that is too long. */
function fits(key: TableKey): boolean {
  if (typeof key === 'number') return true;
  if (typeof key === 'string') return key.length <= maxUnits;
  return key.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) <= maxUnits;
}

/** Options of lmdb-js for a range. Backwards, it takes its start, which it includes, for the upper end. */
function optionsOf<K extends TableKey>({
  from,
  after,
  before,
  limit,
  offset,
  newestFirst,
}: Range<K> = {}): RangeOptions {
  const lower = after ?? from;
  if ((lower !== undefined && !fits(lower)) || (before !== undefined && !fits(before))) return { limit: 0 };
  const options: RangeOptions = {};
  if (limit !== undefined) options.limit = limit;
  if (offset !== undefined) options.offset = offset;
  if (newestFirst === true) {
    options.reverse = true;
    options.exclusiveStart = true;
    options.inclusiveEnd = after === undefined;
    if (before !== undefined) options.start = before;
    if (lower !== undefined) options.end = lower;
  } else {
    options.exclusiveStart = after !== undefined;
    if (lower !== undefined) options.start = lower;
    if (before !== undefined) options.end = before;
  }
  return options;
}

/** A table whose keys count up from 1. */
export interface NumberedTable<V> extends Table<number, V> {
  /**
   * Appends the row that `make` returns for the next number. Returns the row.
   *
   * @param numbers - the numbers that the row takes, of which the last is its key. Default: 1.
   */
  readonly add: (make: (number: number) => V, numbers?: number) => V;
  /** The highest number: among committed rows, or within a transaction also its own; 0 in an empty table. */
  readonly last: () => number;
  /** Whether there are rows beyond the newest `keep`, some of which `trim` may remove. */
  readonly exceeds: (keep: number) => boolean;
  /** Returns how many of the newest rows stay when those at the beginning go that are `spent`; looks at up to `limit` rows. */
  readonly keptBehind: (spent: (row: V) => boolean, limit: number) => number;
  /**
   * Removes up to `limit` of the oldest rows beyond the newest `keep`, except rows for which `gone` returns `stays`.
   * The newest row always stays, as the next number follows from it. Returns the number of removed rows.
   */
  readonly trim: (keep: number, limit: number, gone?: (row: V) => 'stays' | void) => number;
}

/**
 * Opens the table `name` of numbered rows, which is made when missing; its writes throw outside a transaction.
 *
 * @param open - opens the table of the rows.
 */
export function numberedTable<V>(
  environment: Environment,
  name: string,
  open: (environment: Environment, name: string) => Table<number, V> = table,
): NumberedTable<V> {
  const rows = open(environment, name);
  /** The number that the newest change has added; perhaps not committed yet. */
  let known: number | undefined;
  // A number of a change that was undone is free again.
  environment.onUndone(() => {
    known = undefined;
  });

  return {
    ...rows,
    add(make, numbers = 1) {
      const number = last() + numbers;
      const row = make(number);
      rows.append(number, row);
      known = number;
      return row;
    },
    last,
    exceeds(keep) {
      for (const _ of rows.keys({ before: firstKept(keep), limit: 1 })) return true;
      return false;
    },
    keptBehind(spent, limit) {
      let first = 1;
      for (const { key, row } of rows.entries({ limit })) {
        if (!spent(row)) break;
        first = key + 1;
      }
      return last() - first + 1;
    },
    trim(keep, limit, gone) {
      const oldest = [...rows.entries({ before: firstKept(keep), limit })];
      const leaving = oldest.filter(({ row }) => gone?.(row) !== 'stays');
      for (const { key } of leaving) rows.remove(key);
      return leaving.length;
    },
  };

  function last(): number {
    return (environment.isWriting() ? known : undefined) ?? rows.lastKey() ?? 0;
  }

  function firstKept(keep: number): number {
    return last() - Math.max(1, keep) + 1;
  }
}
