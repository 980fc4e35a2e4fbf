import { LRUCache } from 'lru-cache';
import { nanoid } from 'nanoid';
import type { Watcher } from '../../schedule/watchers.ts';
import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';

/** Up to so many watchers stand in the row of their target. */
const inRow = 8;

/** The most watchers that are kept in memory, in lists that are too long for a row. */
const mostKept = 500_000;

/** The watchers of a target, as its row has them: the list, or the version of a long one. */
export type StoredWatchers = readonly Watcher[] | string;

/**
 * Keeps long lists of watchers apart from the rows of their targets, which are written and read far more often: a list is read once and
 * stays in memory. No version is given twice, not even to what is undone.
 */
export function watcherLists(environment: Environment) {
  const lists = heldTable<number, { readonly version: string; readonly watchers: readonly Watcher[] }>(
    environment,
    'targets.watchers',
  );
  const known = new LRUCache<string, readonly Watcher[]>({
    maxSize: mostKept,
    sizeCalculation: (watchers) => Math.max(1, watchers.length),
  });
  const versions = new WeakMap<readonly Watcher[], string>();

  return {
    /** Returns what the row of a target is to have. A long list that was not read here is written. */
    store(target: number, watchers: readonly Watcher[]): StoredWatchers {
      if (watchers.length <= inRow) return watchers;
      const before = versions.get(watchers);
      if (before !== undefined) return before;
      const version = nanoid();
      lists.put(target, { version, watchers });
      return remember(version, watchers);
    },
    /** The watchers of a target whose row has this. */
    read(target: number, stored: StoredWatchers): readonly Watcher[] {
      if (typeof stored !== 'string') return stored;
      const kept = known.get(stored);
      if (kept !== undefined) return kept;
      const { version, watchers } = lists.get(target) ?? { version: stored, watchers: [] };
      remember(version, watchers);
      return watchers;
    },
    /** Removes the list of a target, if it has one. */
    remove: lists.remove,
  };

  function remember(version: string, watchers: readonly Watcher[]): string {
    known.set(version, watchers);
    versions.set(watchers, version);
    return version;
  }
}
