import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open } from 'lmdb';
import { createBatches } from './batch.ts';
import { StoreFullError, storeErrorOf } from './full.ts';
import { counted } from './under-way.ts';

export interface EnvironmentOptions {
  /** A folder; made when missing. */
  readonly path: string;
  /**
   * How large the file may become, in bytes; without it the disk is the limit. LMDB's own `mapSize` is no limit, since lmdb-js
   * grows the map whenever it is full. Looked at before each change, so that what is in one batch may pass it.
   */
  readonly limitBytes?: number;
}

export interface CommitOptions {
  /** Resolves only when the change is on disk, so that it survives the end of the machine, not of the process alone. */
  readonly durable?: boolean;
  /** For what makes room: is not refused at `limitBytes`. */
  readonly evenWhenFull?: boolean;
}

/** One LMDB environment: its transactions and the tables in it. Only `tables/table.ts` looks at its databases. */
export interface Environment {
  readonly path: string;
  database<V>(name: string): Database<V>;
  /** Whether a transaction of this environment is running now. */
  isWriting(): boolean;
  /**
   * Runs a change as one transaction, which a throw undoes whole, and resolves when it is committed: visible to all and safe
   * from the end of this process. `run` waits for nothing, and may be run twice: what counts is what it does the last time.
   * Throws `StoreFullError`.
   */
  commit<T>(run: () => T, options?: CommitOptions): Promise<T>;
  /** Runs a change at once, on disk when this returns, while no other process can write. */
  exclusively<T>(run: () => T): T;
  /** Calls `listener` whenever a change was undone, so that nothing is remembered of it. */
  onUndone(listener: () => void): void;
  /** Copies all that is committed to the folder `path`, replacing an older copy. */
  copyTo(path: string): Promise<void>;
  /** Waits for the changes under way; nothing works afterwards but closing again. */
  close(): Promise<void>;
}

/** Of the limit, what must be in use before free pages within the file no longer count as room. */
const fullFraction = 15 / 16;

export function openEnvironment({ path, limitBytes }: EnvironmentOptions): Environment {
  // Without batching by turns: with it, the rejection of a failed commit also reaches a promise that nobody can handle.
  const root = open<unknown>({ path, noSubdir: false, maxDbs: 64, encoding: 'json', eventTurnBatching: false });
  const databases = new Map<string, Database<never>>();
  const listeners: (() => void)[] = [];
  const waiting = new Set<() => void>();
  let writing = false;
  let closed: Promise<void> | undefined;
  const runInBatch = createBatches({ write: (run) => counted(() => root.transaction(run)), undoable });

  return {
    path,
    database<V>(name: string): Database<V> {
      const database = databases.get(name) ?? root.openDB<never>({ name, encoding: 'json' });
      databases.set(name, database);
      return database;
    },
    isWriting: () => writing,
    commit,
    exclusively: undoable,
    onUndone(listener) {
      listeners.push(listener);
    },
    async copyTo(target) {
      await rm(target, { recursive: true, force: true });
      await mkdir(target, { recursive: true });
      await root.backup(target, false);
    },
    close: () => (closed ??= close()),
  };

  async function commit<T>(run: () => T, { durable = false, evenWhenFull = false }: CommitOptions = {}): Promise<T> {
    try {
      const result = await runInBatch(() => {
        if (!evenWhenFull) refuseWhenFull();
        return run();
      });
      if (durable) await flushed();
      return result;
    } catch (error) {
      if (!isCommitFailure(error)) throw storeErrorOf(error, path);
      undone();
      for (const resolve of waiting) resolve();
      waiting.clear();
      throw storeErrorOf(await causeOf(error), path);
    }
  }

  /** lmdb-js never settles the `flushed` of a batch that fails; all that was committed before that one has been synced by then. */
  function flushed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    root.flushed.then(() => {
      waiting.delete(resolve);
      resolve();
    }, resolve);
    return promise;
  }

  async function close(): Promise<void> {
    // For the same reason: closing waits for the last batch to be flushed, and one without a write always is.
    await counted(() => root.transaction(() => undefined));
    await root.close();
  }

  /** A transaction of its own, or a child of the one that is running. */
  function undoable<T>(run: () => T): T {
    writing = true;
    try {
      return root.transactionSync(run);
    } catch (error) {
      // At once, not when the promise rejects: the next change runs before that.
      undone();
      throw error;
    } finally {
      writing = false;
    }
  }

  function undone(): void {
    for (const listener of listeners) listener();
  }

  function refuseWhenFull(): void {
    if (limitBytes === undefined || statSync(join(path, 'data.mdb')).size < limitBytes) return;
    const usedBytes = bytesInUse([root, ...databases.values()]);
    if (usedBytes < limitBytes * fullFraction) return;
    throw new StoreFullError(
      'map_full',
      `${path}: ${usedBytes} bytes are in use: expected less than the limit of ${limitBytes}`,
    );
  }
}

interface PageCounts {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function bytesInUse(databases: readonly Pick<Database<unknown>, 'getStats'>[]): number {
  return databases.reduce((sum, database) => {
    const counts = database.getStats() as PageCounts;
    return sum + counts.pageSize * (counts.treeBranchPageCount + counts.treeLeafPageCount + counts.overflowPages);
  }, 0);
}

/** The "Commit failed" of lmdb-js, and the promise that rejects with the reason. */
interface CommitFailure extends Error {
  readonly commitError: Promise<never>;
}

function isCommitFailure(error: unknown): error is CommitFailure {
  return error instanceof Error && 'commitError' in error;
}

async function causeOf(failure: CommitFailure): Promise<unknown> {
  try {
    return await failure.commitError;
  } catch (cause) {
    return cause;
  }
}
