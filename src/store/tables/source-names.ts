import { nanoid } from 'nanoid';
import type { Environment } from '../lmdb/environment.ts';
import { type Table, type TableKey, table } from '../lmdb/table.ts';

/**
 * The names that rows have of sources. A source that was never renamed is named by its id. One that was keeps the name of its rows, so that
 * a rename is one row, whatever the source has.
 */
export interface SourceNames {
  /** The name in rows of the source with an id. */
  nameOf(id: string): string;
  /** The id of the source that rows name so. */
  idOf(name: string): string;
  /** The id that the source with an id now had when the event `serial` was told. */
  idThen(id: string, serial: number): string;
  /**
   * Gives a source another id, which no source of the store has. Its old id stands for a new source from then on.
   *
   * @param lastEvent - the id of the last event that names the source by its old id.
   */
  rename(from: string, to: string, lastEvent: number): void;
}

const known = new WeakMap<Environment, SourceNames>();

/** Returns the names of the sources in an environment. They are read once; its writes throw outside a transaction. */
export function sourceNames(environment: Environment): SourceNames {
  const names = known.get(environment) ?? openNames(environment);
  known.set(environment, names);
  return names;
}

function openNames(environment: Environment): SourceNames {
  /** The names of the ids that are not their own name. */
  const rows = table<string, string>(environment, 'sources.names');
  /** The ids that sources had, by their name and the last event that gives them that id. */
  const before = table<[name: string, lastEvent: number], string>(environment, 'sources.ids_before');
  let read: ReturnType<typeof readMaps> | undefined;
  environment.onUndone(() => {
    read = undefined;
  });

  return {
    nameOf: (id) => maps().names.get(id) ?? id,
    idOf: (name) => maps().ids.get(name) ?? withoutMark(name),
    idThen(id, serial) {
      const { names, former } = maps();
      if (former.size === 0) return id;
      return former.get(names.get(id) ?? id)?.find(({ lastEvent }) => serial <= lastEvent)?.id ?? id;
    },
    rename(from, to, lastEvent) {
      const name = maps().names.get(from) ?? from;
      before.put([name, lastEvent], from);
      put(to, name);
      // A name that rows may have is given to no other source.
      const isTaken = name === from || maps().ids.has(from);
      put(from, isTaken ? `${from}${mark}${nanoid()}` : from);
      // At once: outside of the transaction, nothing of it can be read until it is committed.
      read = undefined;
      maps();
    },
  };

  function maps(): ReturnType<typeof readMaps> {
    return (read ??= readMaps());
  }

  function readMaps() {
    const names = new Map(Array.from(rows.entries(), ({ key, row }) => [key, row] as const));
    const ids: ReadonlyMap<string, string> = new Map(Array.from(names, ([id, name]) => [name, id] as const));
    const former = Map.groupBy(
      Array.from(before.entries(), ({ key: [name, lastEvent], row: id }) => ({ name, lastEvent, id })),
      ({ name }) => name,
    );
    return { names, ids, former };
  }

  function put(id: string, name: string): void {
    if (id === name) rows.remove(id);
    else rows.put(id, name);
  }
}

/** A character that no id of a source has. */
const mark = '#';

function withoutMark(name: string): string {
  const at = name.indexOf(mark);
  return at < 0 ? name : name.slice(0, at);
}

/** Where the rows and the keys of a table name a source. */
interface Naming<V> {
  /** The place of the name in a key that is a list, or `whole` for a key that is the name. */
  readonly key?: number | 'whole';
  /** Returns a row in which the name of its source is replaced by what `rename` makes of it. */
  readonly row?: (row: V, rename: (name: string) => string) => V;
}

/** Replaces the `source` of a row. */
export function ownSource<V extends { readonly source: string }>(row: V, rename: (name: string) => string): V {
  const source = rename(row.source);
  return source === row.source ? row : { ...row, source };
}

/** Opens a table whose rows or keys name sources: it takes and gives ids in place of the names. */
export function namingSources<K extends TableKey, V>(
  environment: Environment,
  rows: Table<K, V>,
  { key: place, row: renamed = (row) => row }: Naming<V>,
): Table<K, V> {
  const { nameOf, idOf } = sourceNames(environment);
  const stored = (key: K): K => inKey(key, nameOf);
  const told = (key: K): K => inKey(key, idOf);
  type Range = Parameters<typeof rows.keys>[0];

  return {
    get(key) {
      const row = rows.get(stored(key));
      return row === undefined ? undefined : renamed(row, idOf);
    },
    has: (key) => rows.has(stored(key)),
    put: (key, row) => rows.put(stored(key), renamed(row, nameOf)),
    putNew: (key, row) => rows.putNew(stored(key), renamed(row, nameOf)),
    append: (key, row) => rows.append(stored(key), renamed(row, nameOf)),
    remove: (key) => rows.remove(stored(key)),
    removeRange: (range) => rows.removeRange(within(range) ?? {}),
    *keys(range) {
      for (const key of rows.keys(within(range))) yield told(key);
    },
    *rows(range) {
      for (const row of rows.rows(within(range))) yield renamed(row, idOf);
    },
    *entries(range) {
      for (const { key, row } of rows.entries(within(range))) yield { key: told(key), row: renamed(row, idOf) };
    },
    lastKey() {
      const key = rows.lastKey();
      return key === undefined ? undefined : told(key);
    },
    count: rows.count,
    countIn: (range) => rows.countIn(within(range) ?? {}),
  };

  function within(range: Range): Range {
    if (range === undefined || place === undefined) return range;
    const { from, after, before, ...rest } = range;
    return {
      ...rest,
      ...(from !== undefined && { from: stored(from) }),
      ...(after !== undefined && { after: stored(after) }),
      ...(before !== undefined && { before: stored(before) }),
    };
  }

  function inKey(key: K, rename: (name: string) => string): K {
    if (place === undefined) return key;
    if (place === 'whole') return typeof key === 'string' ? (rename(key) as K) : key;
    const name = Array.isArray(key) ? key[place] : undefined;
    if (typeof name !== 'string' || !Array.isArray(key)) return key;
    const renamed = rename(name);
    return renamed === name ? key : (key.with(place, renamed) as K);
  }
}
