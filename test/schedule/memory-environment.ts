import type { Database } from 'lmdb';
import type { Environment } from '../../src/store/lmdb/environment.ts';
import type { TableKey } from '../../src/store/lmdb/table.ts';
import { type KeyBound, SortedKeys } from './sorted-keys.ts';

/** What one daemon leaves to the next: the rows of each table. */
export type Disk = Map<string, MemoryDatabase>;

/**
 * How many of the newest rows of a table are kept, at least; all where it is not named. Logs and indexes over logs, which nothing
 * that decides reads beyond their newest rows, would fill the memory.
 */
const kept = new Map([
  ['scrapes', 6_000],
  ['events', 1_000],
  ['commits', 10],
  ['steps', 0],
  ['scrapes.by_target', 0],
  ['waste', 0],
]);

/**
 * An environment whose tables are in memory, so that a year of writes takes seconds. Rows are kept as they were put, which all that
 * reads them leaves as they are. Undoes nothing: a change that throws is a fault that ends the test.
 */
export function memoryEnvironment(disk: Disk): Environment {
  let isWriting = false;
  const lastChangeListeners: (() => void)[] = [];
  let changes = 0;

  return {
    path: 'memory',
    // It has those methods of a database that `lmdb/table.ts` calls.
    database: <V>(name: string) => opened(name) as unknown as Database<V>,
    isWriting: () => isWriting,
    commit(run) {
      changes += 1;
      return Promise.resolve(exclusively(run));
    },
    commitCounts: () => ({ transactions: changes, changes }),
    exclusively,
    onUndone: () => undefined,
    onLastChange: (listener) => void lastChangeListeners.push(listener),
    changed: () => undefined,
    noteChanges: () => undefined,
    snapshot() {
      throw new Error('an environment in memory has no snapshots');
    },
    copyTo: () => Promise.reject(new Error('an environment in memory is not copied')),
    close: () => Promise.resolve(),
  };

  function opened(name: string): MemoryDatabase {
    const database = disk.get(name) ?? new MemoryDatabase(kept.get(name) ?? Infinity);
    disk.set(name, database);
    return database;
  }

  function exclusively<T>(run: () => T): T {
    isWriting = true;
    try {
      const result = run();
      for (const listener of lastChangeListeners) listener();
      return result;
    } finally {
      isWriting = false;
    }
  }
}

interface RangeAsked {
  readonly start?: TableKey;
  readonly end?: TableKey;
  readonly exclusiveStart?: boolean;
  readonly inclusiveEnd?: boolean;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Rows by their keys, and these in their order. */
class MemoryDatabase {
  readonly #keys = new SortedKeys();
  readonly #rows = new Map<string | number, unknown>();
  readonly #kept: number;

  constructor(rowsKept: number) {
    this.#kept = rowsKept;
  }

  get(key: TableKey): unknown {
    return this.#rows.get(nameOf(key));
  }

  doesExist(key: TableKey): boolean {
    return this.#rows.has(nameOf(key));
  }

  putSync(key: TableKey, row: unknown, { append = false }: { readonly append?: boolean } = {}): boolean {
    if (append && !this.#keys.isBeyond(key)) return false;
    if (this.#kept === 0) return true;
    const name = nameOf(key);
    if (!this.#rows.has(name)) {
      this.#keys.add(key);
      if (this.#kept < Infinity) for (const old of this.#keys.trim(this.#kept)) this.#rows.delete(nameOf(old));
    }
    this.#rows.set(name, row);
    return true;
  }

  removeSync(key: TableKey): boolean {
    if (!this.#rows.delete(nameOf(key))) return false;
    this.#keys.remove(key);
    return true;
  }

  getKeys({ start, end, exclusiveStart = false, inclusiveEnd = false, reverse = false, limit = Infinity }: RangeAsked) {
    const [lower, upper] = reverse ? [end, start] : [start, end];
    const [afterLower, afterUpper] = reverse ? [!inclusiveEnd, !exclusiveStart] : [exclusiveStart, inclusiveEnd];
    return this.#keys.within({
      lower: boundOf(lower, afterLower),
      upper: boundOf(upper, afterUpper),
      newestFirst: reverse,
      limit,
    });
  }

  getRange(range: RangeAsked): { key: TableKey; value: unknown }[] {
    return this.getKeys(range).map((key) => ({ key, value: this.get(key) }));
  }

  getStats(): { readonly entryCount: number } {
    return { entryCount: this.#keys.size };
  }
}

function boundOf(key: TableKey | undefined, after: boolean): KeyBound | undefined {
  return key === undefined ? undefined : { key, after };
}

/** What a key is found by. */
function nameOf(key: TableKey): string | number {
  return typeof key === 'object' ? key.join('\0') : key;
}
