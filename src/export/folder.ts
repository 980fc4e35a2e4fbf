import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../is-alive.ts';
import { makeFolder } from '../make-folder.ts';
import { type Destination, DestinationError } from './destination.ts';
import { sync } from './text-format.ts';

const lockName = '.export.pid';

/** The locks that this process holds. A process that has ended may have had the number of this one. */
const held = new Set<string>();

/**
 * Opens a folder as the destination of an export; it is made if missing, for its owner alone. Rejects with a `DestinationError` `conflict` while
 * another export writes to it.
 */
export async function openFolder(path: string): Promise<Destination> {
  await makeFolder(path);
  const lock = join(path, lockName);
  await takeLock(lock, path);
  const spool = join(path, '.export.partial');
  await rm(spool, { recursive: true, force: true });
  await mkdir(spool, { mode: 0o700 });

  return {
    name: path,
    spool,
    async read(name) {
      try {
        return await readFile(join(path, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return undefined;
      }
    },
    async isTaken(name) {
      try {
        return (await readdir(join(path, name))).length > 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return false;
      }
    },
    async write(name, text) {
      const made = join(spool, randomUUID());
      await writeFile(made, text, { mode: 0o600 });
      await sync(made);
      await moveTo(made, join(path, name));
    },
    publish: (from, name) => moveTo(from, join(path, name)),
    remove: (name) => rm(join(path, name), { force: true }),
    async close() {
      await rm(spool, { recursive: true, force: true });
      await rm(lock, { force: true });
      held.delete(lock);
    },
  };
}

/** Moves a file that is on disk to its place; the move is on disk, too, when this resolves. */
export async function moveTo(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  await makeFolder(folder);
  await rename(from, to);
  await syncFolder(folder);
}

/** Waits until the names in a folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Takes the lock of a folder. A lock of a process that has ended is taken over. */
async function takeLock(lock: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      held.add(lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (holder === process.pid ? held.has(lock) : holder > 0 && isAlive(holder))
      throw new DestinationError(
        'conflict',
        `${path}: an export by process ${holder} is writing there: wait for its end, or remove ${lock} if that is no export`,
      );
    await rm(lock, { force: true });
  }
  throw new DestinationError('conflict', `${path}: another export is beginning there`);
}

/** Whether an error is the refusal of a file by the system, as for lack of permission or on a full disk. */
export function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
