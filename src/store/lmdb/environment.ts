import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type Transaction } from 'lmdb';
import { type BatchCounts, createBatches } from './batch.ts';
import type { ChangedKeys } from './changed-keys.ts';
import type { TableKey } from './table.ts';
import { constants } from 'node:os';
import { makeFolder } from '../../make-folder.ts';

/** Where an environment is, and how large it may become. */
export interface EnvironmentOptions {
  /** A folder; it is made when it is missing. */
  readonly path: string;
  /**
   * The largest size of the file, in bytes; default: the disk is the limit. LMDB's own `mapSize` is no limit, as
   * lmdb-js grows the map whenever it is full. The size is checked before each change, so the changes of one batch may
   * pass it.
   */
  readonly limitBytes?: number;
}

/** How a change is committed. */
export interface CommitOptions {
  /**
   * Resolves only when the change is on disk, so that it survives a power failure. Otherwise it survives the end of the
   * process. A durable change is written at once; under load, others wait up to 8 ms to share a transaction.
   */
  readonly durable?: boolean;
  /** Commits also beyond `limitBytes`; for changes that make room. */
  readonly evenWhenFull?: boolean;
}

/** How rows are stored. Lists of numbers take half the bytes in `msgpack`; texts should be well-formed there. Rows of `binary` are bytes. */
export type Encoding = 'json' | 'msgpack' | 'binary';

/** One LMDB environment: its transactions and its tables. Only `table.ts` uses its databases. */
export interface Environment {
  readonly path: string;
  /** @param encoding - of the rows; counts only where the database is opened first. Default: `json`. */
  database<V>(name: string, encoding?: Encoding): Database<V>;
  /** Whether a transaction of this environment is running. */
  isWriting(): boolean;
  /**
   * Runs a change as one transaction and resolves with its result when it is committed: visible to all and safe from
   * the end of this process. `run` is synchronous and may be run twice; its last run counts. Rejects with what `run`
   * throws, which undoes the whole change, and with `StoreFullError`.
   */
  commit<T>(run: () => T, options?: CommitOptions): Promise<T>;
  /**
   * Runs a change at once, while no other process can write; it is on disk when this returns. Throws what `run` throws,
   * which undoes the change.
   */
  exclusively<T>(run: () => T): T;
  /** Calls `listener` whenever a change is undone, so that the listener can drop what it remembers of it. */
  onUndone(listener: () => void): void;
  /**
   * Calls `listener` within each transaction, after its last change, so that the listener can write what it held back
   * meanwhile. A throw of it undoes the transaction.
   */
  onLastChange(listener: () => void): void;
  /** Notes a key of a row that is being written, where keys are noted. To be called by each write of a table. */
  changed(table: string, key: TableKey): void;
  /** Has the keys of all rows that are written from now on noted in `keys`; `undefined` has none noted. */
  noteChanges(keys: ChangedKeys | undefined): void;
  /** Reads all that is committed now, until it is closed. */
  snapshot(): Snapshot;
  /**
   * Copies all that is committed, at one instant, to the folder `path`, which is made if missing. Rejects when the folder cannot
   * be written or holds a store.
   */
  copyTo(path: string): Promise<void>;
  /** Numbers of changes and of the transactions they shared, since the environment was opened. */
  commitCounts(): BatchCounts;
  /** Writes the changes under way, waits for them and closes the environment. May be called again. */
  close(): Promise<void>;
}

/** The rows of an environment as they were at one instant, also over turns of the event loop. While it is open, the space of older rows is not used again. */
export interface Snapshot {
  /** The bytes of a row; `undefined` where there is none. */
  read(table: string, key: TableKey): Buffer | undefined;
  close(): void;
}

/** What lmdb-js takes, and its types leave out. */
interface SnapshotDatabase {
  getBinary(key: TableKey, options: { readonly transaction: Transaction }): Buffer | undefined;
}

/** The part of the limit from which free pages within the file no longer count as room. */
const fullFraction = 15 / 16;

// lmdb-js prints the stack of each write that fails. Who made the change is told, so only the line is ended that LMDB itself begins.
const print = console.error.bind(console); // oxlint-disable-line no-console
Object.assign(console, {
  error(...parts: readonly unknown[]) {
    if (storeErrorOf(parts[0], '') instanceof StoreFullError) process.stderr.write('\n');
    else print(...parts);
  },
});

/** Opens the environment in the folder `path`, which is made if missing. Throws the error of lmdb-js if it cannot be opened. */
export function openEnvironment({ path, limitBytes }: EnvironmentOptions): Environment {
  // Without batching by turns: with it, the rejection of a failed commit also reaches a promise that nobody can handle.
  const root = open<unknown>({ path, noSubdir: false, maxDbs: 128, encoding: 'json', eventTurnBatching: false });
  const databases = new Map<string, Database<never>>();
  const undoneListeners: (() => void)[] = [];
  const lastChangeListeners: (() => void)[] = [];
  const waiting = new Set<() => void>();
  let writing = false;
  let closed: Promise<void> | undefined;
  let changes: ChangedKeys | undefined;
  const batches = createBatches({ now: () => performance.now(), write, undoable });

  return {
    path,
    database<V>(name: string, encoding: Encoding = 'json'): Database<V> {
      const known = databases.get(name);
      if (known !== undefined) return known;
      const database = root.openDB<never>({ name, encoding });
      if (encoding === 'json') Object.assign(database, { encoder });
      databases.set(name, database);
      return database;
    },
    isWriting: () => writing,
    commit,
    exclusively: undoable,
    onUndone(listener) {
      undoneListeners.push(listener);
    },
    onLastChange(listener) {
      lastChangeListeners.push(listener);
    },
    changed(name, key) {
      if (changes !== undefined) changes.note(name, key);
    },
    noteChanges(keys) {
      changes = keys;
    },
    snapshot() {
      // The transaction of this turn may be of before the last commit.
      root.resetReadTxn();
      const transaction = root.useReadTransaction();
      return {
        read: (name, key) => (databases.get(name) as SnapshotDatabase | undefined)?.getBinary(key, { transaction }),
        close: () => transaction.done(),
      };
    },
    async copyTo(target) {
      await makeFolder(target);
      await root.backup(target, false);
    },
    commitCounts: batches.counts,
    close: () => (closed ??= close()),
  };

  async function commit<T>(run: () => T, { durable = false, evenWhenFull = false }: CommitOptions = {}): Promise<T> {
    try {
      const refusing = (): T => {
        if (!evenWhenFull) refuseWhenFull();
        return run();
      };
      const result = await counted(() => batches.commit(refusing, { urgent: durable }));
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

  /**
   * Resolves when all committed changes are on disk. lmdb-js never settles the `flushed` of a batch that fails;
   * everything before that batch is on disk by then.
   */
  function flushed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    root.flushed.then(() => {
      waiting.delete(resolve);
      resolve();
    }, resolve);
    return promise;
  }

  /** Rejects, and does not throw, where the environment is closed. */
  async function write(run: () => void): Promise<void> {
    await root.transaction(run);
  }

  async function close(): Promise<void> {
    await batches.writeNow();
    // For the same reason: closing waits for the last batch to be flushed, and one without a write always is.
    await counted(() => root.transaction(() => undefined));
    await root.close();
  }

  /** Runs `run` in a transaction, or in a child of the running one. */
  function undoable<T>(run: () => T): T {
    writing = true;
    try {
      return root.transactionSync(() => {
        const result = run();
        for (const listener of lastChangeListeners) listener();
        return result;
      });
    } catch (error) {
      // At once, not when the promise rejects: the next change runs before that.
      undone();
      throw error;
    } finally {
      writing = false;
    }
  }

  function undone(): void {
    for (const listener of undoneListeners) listener();
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

/** Where rows are encoded. lmdb-js reads what lies between `start` and `end`. */
const encoded = Object.assign(Buffer.allocUnsafeSlow(65_536), { start: 0, end: 0 });

/**
 * Encodes rows as lmdb-js does for the encoding `json`, but without a buffer of their own: a write within a transaction
 * has copied its row when it returns.
 */
const encoder = {
  encode(row: unknown): Buffer {
    const text = JSON.stringify(row);
    // A UTF-16 unit takes up to three bytes.
    if (text.length * 3 > encoded.length) return Buffer.from(text);
    encoded.end = encoded.write(text);
    return encoded;
  },
};

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

/** The error "Commit failed" of lmdb-js, with a promise that rejects with its cause. */
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

/** The store cannot be written: nothing of the change was; reads go on. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
  /** `map_full`: the configured limit is reached; `disk_full`: the file system has no room; `disk_failed`: it has, and a write failed. */
  readonly code: 'map_full' | 'disk_full' | 'disk_failed';

  constructor(code: StoreFullError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** MDB_MAP_FULL of LMDB. */
const mapFull = -30_792;

const diskFull: readonly number[] = [constants.errno.ENOSPC, constants.errno.EDQUOT];

/**
 * LMDB reports EIO for a write that the file system cuts short, as on a full disk or at a limit of file sizes, and for a disk that fails; a write that
 * would begin at such a limit is EFBIG. Room tells them apart.
 */
const cutShort: readonly number[] = [constants.errno.EIO, constants.errno.EFBIG];

/** The room of a disk, in bytes, from which no usual write is cut short for want of it. */
const roomBytes = 16 * 1_048_576;

/** The error to throw for a failed commit: a `StoreFullError` when room was lacking, else `error` itself. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreFullError) return error;
  const status = 'code' in error ? error.code : undefined;
  if (status === mapFull) {
    return new StoreFullError('map_full', `${path}: the memory map is full: expected room to write`, { cause: error });
  }
  const isCutShort = typeof status === 'number' && cutShort.includes(status);
  if (isCutShort && hasRoom(path)) {
    const message = `${path}: a write failed (${status === constants.errno.EIO ? 'EIO' : 'EFBIG'}), though the disk has room: the disk or its connection fails, or a limit of file sizes is reached`;
    return new StoreFullError('disk_failed', message, { cause: error });
  }
  if (typeof status === 'number' && (isCutShort || diskFull.includes(status))) {
    return new StoreFullError('disk_full', `${path}: the disk is full (error ${status}): expected room to write`, {
      cause: error,
    });
  }
  return error;
}

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= roomBytes;
  } catch {
    // A folder that cannot even be looked at has no want of room.
    return true;
  }
}

/** Changes that are not yet committed, in all environments of this process. */
let underWay = 0;
let isHalted = false;

/** Makes a change and counts it until it is over. Rejects with what it rejects with; never settles after `halt`. */
export async function counted<T>(change: () => Promise<T>): Promise<T> {
  if (isHalted) return new Promise(() => undefined);
  underWay += 1;
  try {
    return await change();
  } finally {
    underWay -= 1;
  }
}

/** Lets no further change begin in this process; their promises never settle. For a process that ends. */
export function halt(): void {
  isHalted = true;
}

/** Whether any change of this process is not yet committed. */
export function isWriteUnderWay(): boolean {
  return underWay > 0;
}
