import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { TargetRow } from './rows.ts';
import { numberedTable, type NumberRange, type Range, table } from '../lmdb/table.ts';
import { namingSources, ownSource, sourceNames } from './source-names.ts';
import { type StoredWatchers, watcherLists } from './watcher-lists.ts';
import { digestOf } from './digest.ts';

/** A place, which is at most one target. */
export type Place = Pick<TargetRow, 'source' | 'url'>;

/** A row of the table. */
type StoredTarget = Omit<TargetRow, 'watchers'> & { readonly watchers: StoredWatchers };

/** Returns a text that is the same for all spellings of one place. */
export function placeKey({ source, url }: Place): string {
  return `${source} ${URL.parse(url)?.href ?? url}`;
}

/** All targets, by number; no number is given twice. */
export function targetTable(environment: Environment) {
  const { nameOf } = sourceNames(environment);
  const rows = numberedTable<StoredTarget>(environment, 'targets', (_, name) =>
    namingSources(environment, heldTable<number, StoredTarget>(environment, name), { row: ownSource }),
  );
  const lists = watcherLists(environment);
  const bySource = namingSources(environment, table<[string, number], 1>(environment, 'targets.by_source'), { key: 0 });
  const byPlace = table<string, number>(environment, 'targets.by_place');

  return {
    get,
    last: rows.last,
    *rows(range?: Range<number>): Generator<TargetRow> {
      for (const row of rows.rows(range)) if (isThere(row)) yield whole(row);
    },
    count: rows.count,
    /** The target at a place, if there is one. */
    at(place: Place): TargetRow | undefined {
      const target = byPlace.get(placeDigest(place));
      return target === undefined ? undefined : get(target);
    },
    /** Stores a new target under the next number. */
    add(make: (target: number) => TargetRow): TargetRow {
      const row = whole(rows.add((target) => stored(make(target))));
      bySource.put([row.source, row.target], 1);
      byPlace.put(placeDigest(row), row.target);
      return row;
    },
    /** Stores a known target, whose place must not change. */
    put: (row: TargetRow) => rows.put(row.target, stored(row)),
    /** Removes a target. */
    remove(row: TargetRow): void {
      // The next number follows from the last row.
      if (row.target === rows.last()) rows.put(row.target, { source: '' } as StoredTarget);
      else rows.remove(row.target);
      lists.remove(row.target);
      bySource.remove([row.source, row.target]);
      byPlace.remove(placeDigest(row));
    },
    /** The numbers of a source's targets after the number `after`. */
    *numbersOfSource(source: string, { after = 0, limit }: Omit<NumberRange, 'before'> = {}): Iterable<number> {
      for (const [, target] of bySource.keys({ after: [source, after], before: [source, Infinity], limit }))
        yield target;
    },
    /** Whether a source has more than one target, so that a record may be seen by two. */
    hasSeveral: (source: string) =>
      [...bySource.keys({ after: [source, 0], before: [source, Infinity], limit: 2 })].length > 1,
  };

  function placeDigest({ source, url }: Place): string {
    return digestOf(placeKey({ source: nameOf(source), url }));
  }

  function get(target: number): TargetRow | undefined {
    const row = rows.get(target);
    return row && isThere(row) ? whole(row) : undefined;
  }

  function stored(row: TargetRow): StoredTarget {
    const watchers = lists.store(row.target, row.watchers);
    return watchers === row.watchers ? row : { ...row, watchers };
  }

  function whole(row: StoredTarget): TargetRow {
    return isWhole(row) ? row : { ...row, watchers: lists.read(row.target, row.watchers) };
  }
}

/** Whether a row is of a target that was not removed. */
function isThere(row: Partial<StoredTarget>): row is StoredTarget {
  return row.target !== undefined;
}

function isWhole(row: StoredTarget): row is TargetRow {
  return typeof row.watchers !== 'string';
}
