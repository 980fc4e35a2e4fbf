import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { defined } from '../defined.ts';
import { systemText } from '../definition/file.ts';
import { makeFolder } from '../make-folder.ts';
import { ChangedKeys } from '../store/lmdb/changed-keys.ts';
import { appendFrame } from '../store/lmdb/journal.ts';
import type { Store } from '../store/store.ts';
import { copyTail, packPath, packsIn, removePack } from '../vault/pack.ts';
import { type Vault, vaultFolder } from '../vault/vault.ts';
import { backupTo, copyFiles, copySinks, hasSinks, sinksFolder } from './backup.ts';
import { baseName, basesIn, journalName, markName, syncFile } from './backup-layout.ts';

/** Where a continuous backup goes, and how far behind it may be. */
export interface ContinuousBackupOptions {
  /** A folder on another disk. */
  readonly to: string;
  readonly everyMs: number;
}

/** How far a backup has come. */
export interface BackupProgress {
  /** All that was committed before is in it; missing before the first copy of this life is whole. */
  readonly upToAt?: number;
  /** Why it stands still; missing while it goes on. */
  readonly failure?: string;
}

/** A backup that follows the store. */
export interface ContinuousBackup {
  /** Brings the folder up to now. Resolves with why it could not, where it could not. */
  follow(): Promise<string | undefined>;
  progress(): BackupProgress;
  /** Brings the folder up to now and ends. To be called before the store closes. */
  close(): Promise<void>;
}

/** What is followed, and who is told of failures. */
interface Deps {
  readonly options: ContinuousBackupOptions;
  readonly data: string;
  readonly clock: Clock;
  readonly store: Store;
  vault(): Pick<Vault, 'copying'> | undefined;
  warn(what: string): void;
  /** Is told once that the backup goes on again after a failure. */
  info(what: string): void;
}

/** While the folder cannot be written, so many changed rows are noted; of more, the whole store is copied again instead. */
const mostKeys = 500_000;

/** After a copy of the whole store that failed, another one is begun no sooner. */
const copyAgainMs = 60_000;

/** A folder to which nothing could be written for so long stands still, though no attempt has failed. */
const slowMs = 60_000;

/** The least size of a journal for which the store is copied anew, in bytes. */
const leastJournalBytes = 64 * 1_048_576;

/** When something was so, in wall time and in monotonic time. */
interface Instant {
  readonly at: number;
  readonly since: number;
}

/** A copy of the data with a journal of what changed since. */
interface Base {
  readonly path: string;
  readonly number: number;
  readonly bytes: number;
  frames: number;
  journalBytes: number;
  /** The packs whose bytes are copied, by number. */
  readonly packs: Map<number, number>;
  /** What was last copied of the folders of sinks. */
  sinks?: string;
}

/**
 * Keeps a copy of a daemon's data in a folder, at most some seconds behind: a base, which is a whole copy, and a journal to which the rows that changed
 * since are appended. A base becomes valid with its first frame, and the older one goes then. Nothing of it fails the daemon: what cannot
 * be written is tried again, and told once.
 */
export function followStore(deps: Deps): ContinuousBackup {
  const { options, data, clock, store, vault } = deps;
  const { environment } = store;
  let keys = new ChangedKeys();
  /** The keys that were written to the journal of the base while another base is being copied. */
  let beside: ChangedKeys | undefined;
  let base: Base | undefined;
  /** A copy that is under way or over, and not yet valid. */
  let next: Promise<void> | undefined;
  let copied: Base | undefined;
  let copyAfter = -Infinity;
  /** Where the folder was when it was last found to be this store's. */
  let marked: Place | undefined;
  let failure: string | undefined;
  let upTo: Instant | undefined;
  let timer: number | undefined;
  let isClosed = false;
  /** Counts how often what was noted had to be dropped. */
  let lives = 0;
  let running: Promise<string | undefined> | undefined;
  environment.noteChanges(keys);
  timer = clock.at(clock.monotonic(), tick);

  return {
    follow,
    progress() {
      const slow = upTo !== undefined && clock.monotonic() - upTo.since > slowMs;
      const text = failure ?? (slow ? 'what was begun has not ended for a minute' : undefined);
      return defined({ upToAt: upTo?.at, failure: text });
    },
    async close() {
      isClosed = true;
      if (timer !== undefined) clock.cancel(timer);
      await running;
      await next;
      // A store that was never copied whole is not copied now: an end must not take minutes.
      if (base !== undefined || copied !== undefined) await follow();
      environment.noteChanges(undefined);
    },
  };

  function tick(): void {
    timer = undefined;
    void follow().then(() => {
      if (!isClosed) timer = clock.at(clock.monotonic() + options.everyMs, tick);
    });
  }

  function follow(): Promise<string | undefined> {
    running ??= tried().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function tried(): Promise<string | undefined> {
    try {
      await step();
      if (failure !== undefined) deps.info(`${options.to}: the continuous backup goes on`);
      failure = undefined;
    } catch (error) {
      const text = error instanceof Error ? systemText(error) : String(error);
      if (failure === undefined) deps.warn(`${options.to}: the continuous backup stands still: ${text}`);
      failure = text;
      if (keys.count > mostKeys) giveUp();
    }
    return failure;
  }

  /** Drops what was noted, so that the whole store has to be copied. */
  function giveUp(): void {
    keys = new ChangedKeys();
    environment.noteChanges(keys);
    [base, copied, beside] = [undefined, undefined, undefined];
    lives += 1;
  }

  async function step(): Promise<void> {
    await checkFolder();
    await dropRemoved();
    if (base === undefined && copied === undefined) {
      await next; // one that was begun before `giveUp` has the same place
      if (clock.monotonic() < copyAfter) throw new Error(failure ?? 'the last copy of the store failed');
      await copyStore();
    }
    if (copied !== undefined) upTo = await makeValid(copied);
    else if (base !== undefined) upTo = await writeFrame(base);
    // A copy may have come to its end while the frame was written: the next step makes it valid.
    if (base === undefined || next !== undefined || copied !== undefined || isClosed) return;
    if (base.journalBytes < Math.max(base.bytes, leastJournalBytes) || clock.monotonic() < copyAfter) return;
    // Beside the frames of the present base, as a copy of a large store takes longer than the backup may be behind.
    next = copyStore()
      .catch((error: unknown) => deps.warn(`${options.to}: the store could not be copied anew: ${String(error)}`))
      .finally(() => {
        next = undefined;
      });
  }

  /** Makes the folder a backup of this store at first, and makes sure from then on that it is there and no other one. */
  async function checkFolder(): Promise<void> {
    const path = join(options.to, markName);
    const ours = JSON.stringify({ generation: store.generation() });
    const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found !== undefined && found !== ours)
      throw new Error('the folder has the backup of another store: name another one');
    if (found === undefined) {
      // Only a person makes it again: where its disk is not mounted, it would fill another one.
      if (marked === undefined) await makeFolder(options.to);
      const place = await placeOf(options.to);
      if (place === undefined)
        throw new Error('the folder is gone: mount its disk, or make an empty folder there to begin anew');
      if ((await readdir(options.to)).length > 0)
        throw new Error(
          marked === undefined
            ? 'expected an empty folder, or a backup of this store'
            : 'the folder is gone, and another one is in its place: expected it, or an empty folder to begin anew',
        );
      if (marked?.isMount === true && !place.isMount)
        throw new Error('its disk is not mounted: mount it, or begin anew by a restart of the daemon');
      await writeFile(path, ours, { mode: 0o600 });
      copyAfter = -Infinity;
    }
    marked = await placeOf(options.to);
  }

  /** Forgets a copy that was removed, such as with the whole folder, so that the store is copied anew. */
  async function dropRemoved(): Promise<void> {
    const made = copied ?? base;
    if (made === undefined || (await placeOf(made.path)) !== undefined) return;
    await next;
    giveUp();
    copyAfter = -Infinity;
  }

  /** Copies the whole store; what changes from now on is noted for the journal of the copy. */
  async function copyStore(): Promise<void> {
    const life = lives;
    try {
      beside = new ChangedKeys();
      // What was noted before is part of the copy.
      await environment.commit(() => undefined, { evenWhenFull: true });
      const bases = await basesIn(options.to);
      const number = Math.max(0, ...bases.map((each) => each.number)) + 1;
      const path = join(options.to, `${baseName(number)}.part`);
      await rm(path, { recursive: true, force: true });
      const bytes = await backupTo(path, data, { store, vault: vault() });
      if (life !== lives) throw new Error('too much changed meanwhile that could not be noted');
      copied = { path, number, bytes, frames: 0, journalBytes: 0, packs: await packsOf(path) };
    } catch (error) {
      beside = undefined;
      copyAfter = clock.monotonic() + copyAgainMs;
      throw error;
    }
  }

  /** Writes the first frame of a copy, has it take the place of the base before, and removes that. */
  async function makeValid(copy: Base): Promise<Instant> {
    if (beside !== undefined) keys.noteAll(beside);
    beside = undefined;
    const until = await writeFrame(copy);
    const path = join(options.to, baseName(copy.number));
    await rename(copy.path, path);
    // It has its name from here on, whatever fails.
    base = { ...copy, path };
    copied = undefined;
    await syncFile(options.to);
    for (const other of await basesIn(options.to))
      if (other.number !== copy.number) await rm(other.path, { recursive: true, force: true });
    return until;
  }

  /** Appends what changed, if anything did. Resolves with the instant of which the base is then. */
  async function writeFrame(to: Base): Promise<Instant> {
    const written = keys;
    keys = new ChangedKeys();
    environment.noteChanges(keys);
    try {
      // When this is committed, so are all changes that were noted before.
      if (written.count > 0) await environment.commit(() => undefined, { evenWhenFull: true });
      // In one turn: all that the snapshot sees was noted. What was noted meanwhile may not be committed yet, so it stays noted.
      const snapshot = environment.snapshot();
      const [at, since] = [clock.now(), clock.monotonic()];
      written.noteAll(keys);
      try {
        const kept = vault();
        const copyBeside = () => copyOthers(to);
        const before = () => (kept === undefined ? copyBeside() : kept.copying(copyBeside));
        if (written.count > 0 || to.frames === 0) {
          const head = { number: to.frames + 1, at, generation: store.generation() };
          const journal = join(to.path, journalName);
          to.journalBytes = await appendFrame(journal, to.journalBytes, { head, keys: written, snapshot, before });
          to.frames += 1;
        } else await before();
      } finally {
        snapshot.close();
      }
      beside?.noteAll(written);
      await removePacks(to);
      return { at, since };
    } catch (error) {
      keys.noteAll(written);
      throw error;
    }
  }

  /** Copies what the store names outside of itself: the new bytes of packs, which are only appended to, and the files beside it. */
  async function copyOthers(to: Base): Promise<void> {
    for (const { pack, bytes } of [...store.vault.packs.rows()]) {
      const from = to.packs.get(pack) ?? 0;
      if (from >= bytes) continue;
      await copyTail(packPath(vaultFolder(data), pack), packPath(vaultFolder(to.path), pack), from, bytes);
      to.packs.set(pack, bytes);
    }
    await copyFiles(to.path, data);
    if (!(await hasSinks(data))) return;
    const [from, copy] = [join(data, sinksFolder), join(to.path, sinksFolder)];
    const signs = await signsOf(from);
    if (signs === to.sinks) return;
    await rm(`${copy}.part`, { recursive: true, force: true });
    await copySinks(from, `${copy}.part`);
    await rm(copy, { recursive: true, force: true });
    await rename(`${copy}.part`, copy);
    to.sinks = signs;
  }

  /** Removes the packs that the store names no more, once no frame that counts names them. */
  async function removePacks({ path, packs }: Base): Promise<void> {
    const named = new Set([...store.vault.packs.rows()].map(({ pack }) => pack));
    for (const pack of [...packs.keys()].filter((each) => !named.has(each))) {
      await removePack(vaultFolder(path), pack);
      packs.delete(pack);
    }
  }
}

/** What tells a folder on a disk of its own from one that stands where that disk is not mounted. */
interface Place {
  readonly isMount: boolean;
}

/** Where a folder is; `undefined` where there is none. */
async function placeOf(folder: string): Promise<Place | undefined> {
  try {
    const [{ dev }, above] = [await stat(folder), await stat(dirname(folder))];
    return { isMount: dev !== above.dev };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The packs of a copy and their sizes. */
async function packsOf(path: string): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  const folder = vaultFolder(path);
  for (const pack of await packsIn(folder)) sizes.set(pack, (await stat(packPath(folder, pack))).size);
  return sizes;
}

/** Names, sizes and times of the files in a folder, which change when a file does. */
async function signsOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return files.map((file, index) => `${file} ${stats[index]?.size} ${stats[index]?.mtimeMs}`).join('\n');
}
