import type { TableKey } from './table.ts';

/** The keys of rows that were written, by the names of their tables. A key of a change that was undone may be among them. */
export class ChangedKeys {
  readonly #tables = new Map<string, Map<string | number, TableKey>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  note(table: string, key: TableKey): void {
    let keys = this.#tables.get(table);
    if (keys === undefined) this.#tables.set(table, (keys = new Map()));
    const before = keys.size;
    // Lists are compared by what is in them. No other key begins with this character.
    keys.set(typeof key === 'object' ? `\0${JSON.stringify(key)}` : key, key);
    this.#count += keys.size - before;
  }

  noteAll(others: ChangedKeys): void {
    for (const [table, key] of others.entries()) this.note(table, key);
  }

  /** The keys of one table after those of another. */
  *entries(): Generator<readonly [table: string, key: TableKey]> {
    for (const [table, keys] of this.#tables) for (const key of keys.values()) yield [table, key];
  }
}
