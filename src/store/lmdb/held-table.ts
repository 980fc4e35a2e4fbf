import type { Environment } from './environment.ts';
import { type Table, table } from './table.ts';

/**
 * Opens a table whose rows a transaction reads once and writes once each, however many of its changes concern them: it holds what was read
 * or put, and writes the last row of each key at its end. Other transactions hold nothing of it, so that each sees what is stored. For
 * small tables of rows that change again and again, such as those of a target.
 */
export function heldTable<K extends number | string, V>(
  environment: Environment,
  name: string,
  rows: Table<K, V> = table<K, V>(environment, name),
): Table<K, V> {
  /** The rows that the running transaction knows, `undefined` where there is none. */
  const held = new Map<K, V | undefined>();
  const changed = new Set<K>();
  environment.onLastChange(() => {
    write();
    held.clear();
  });
  environment.onUndone(() => {
    held.clear();
    changed.clear();
  });

  return {
    get,
    has: (key) => (environment.isWriting() ? get(key) !== undefined : rows.has(key)),
    put: change,
    putNew(key, row) {
      if (get(key) !== undefined) return false;
      change(key, row);
      return true;
    },
    append(key, row) {
      write();
      rows.append(key, row);
      held.set(key, row);
    },
    remove(key) {
      const isThere = get(key) !== undefined;
      change(key, undefined);
      return isThere;
    },
    removeRange(range) {
      write();
      held.clear();
      return rows.removeRange(range);
    },
    keys: (range) => written().keys(range),
    rows: (range) => written().rows(range),
    entries: (range) => written().entries(range),
    lastKey: () => written().lastKey(),
    count: () => written().count(),
    countIn: (range) => written().countIn(range),
  };

  function get(key: K): V | undefined {
    if (!environment.isWriting()) return rows.get(key);
    if (held.has(key)) return held.get(key);
    const row = rows.get(key);
    held.set(key, row);
    return row;
  }

  function change(key: K, row: V | undefined): void {
    if (!environment.isWriting()) throw new Error(`${name}: expected to be written within a transaction`);
    held.set(key, row);
    changed.add(key);
  }

  /** The table with all that was changed. */
  function written(): Table<K, V> {
    write();
    return rows;
  }

  /** Writes what was changed, which is nothing outside a transaction. */
  function write(): void {
    for (const key of changed) {
      const row = held.get(key);
      if (row === undefined) rows.remove(key);
      else rows.put(key, row);
    }
    changed.clear();
  }
}
