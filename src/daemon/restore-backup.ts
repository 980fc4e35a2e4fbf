import { chmod, copyFile, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { type Dirent, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemText } from '../definition/file.ts';
import { makeFolder } from '../make-folder.ts';
import { openEnvironment } from '../store/lmdb/environment.ts';
import { replayJournal } from '../store/lmdb/replay-journal.ts';
import { vaultTable } from '../store/tables/vault.ts';
import { packPath } from '../vault/pack.ts';
import { vaultFolder } from '../vault/vault.ts';
import { sinksFolder } from './backup.ts';
import { basesIn, isTransient, journalName, markName } from './backup-layout.ts';
import { storeFault } from './start-failure.ts';
import { whyNotCopied } from './try-copy.ts';

/** What was restored. */
interface Restored {
  readonly data: string;
  /** The wall time as of which the data are. */
  readonly asOf: number;
  /** Bytes at the end of the journal that were not whole, as of a daemon that was killed while it wrote them. */
  readonly cutBytes: number;
  /** Kept pages of which the backup lacks the files, or parts of them; the daemon finds them missing. */
  readonly lackingPages: number;
}

/** Thrown where a backup cannot be restored; its message says why. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/**
 * Makes a data folder of a backup, which stays as it is: of a copy, or of a continuous backup at its newest instant. The folder must not
 * exist, or be empty; it is open to its owner alone. All rows of the store are read, to find damage. Rejects with a `RestoreError`; nothing
 * stays then of what was made.
 */
export async function restoreBackup(backup: string, data: string): Promise<Restored> {
  const from = await copyIn(backup);
  if (existsSync(data) && (await namesIn(data)).length > 0)
    throw new RestoreError(`${data}: something stands there already: expected no folder, or an empty one`);
  const part = `${data}.part`;
  if (existsSync(part)) throw new RestoreError(`${part}: expected nothing there, as the data are put together in it`);
  try {
    await makeFolder(dirname(data));
    await copyData(from, part);
    const fault = await storeFault(part);
    if (fault !== undefined)
      throw new RestoreError(
        `${join(from, 'data.mdb')} ${fault.why === undefined ? 'is not a store of Heronry' : `was cut: ${fault.why}`}: expected a whole one: restore another backup`,
      );
    const damage = existsSync(join(part, 'data.mdb')) ? await whyNotCopied(part) : undefined;
    if (damage !== undefined)
      throw new RestoreError(
        `${join(from, 'data.mdb')} is damaged: ${damage}: expected a store that can be read to its end: restore another backup`,
      );
    const copiedAt = (await stat(join(from, 'data.mdb'))).mtimeMs;
    const journal = join(from, journalName);
    const replayed = existsSync(journal) ? await replayJournal(journal, part) : { asOf: copiedAt, cutBytes: 0 };
    if (replayed.asOf === undefined)
      throw new RestoreError(`${journal} is damaged: its first entry cannot be read: expected a whole one`);
    const lackingPages = await lackingPagesIn(part);
    // LMDB makes it with rights for all.
    await rm(join(part, 'lock.mdb'), { force: true });
    if (existsSync(data)) await rmdir(data);
    await rename(part, data);
    return { data, asOf: replayed.asOf, cutBytes: replayed.cutBytes, lackingPages };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error instanceof RestoreError ? error : new RestoreError(`${data}: not restored: ${systemText(error)}`);
  }
}

/** Counts the kept pages of the packs whose files are not there, or not whole. */
async function lackingPagesIn(folder: string): Promise<number> {
  const environment = openEnvironment({ path: folder });
  try {
    let pages = 0;
    for (const each of [...vaultTable(environment).packs.rows()]) {
      const file = await stat(packPath(vaultFolder(folder), each.pack)).catch(ignoreMissing);
      if ((file?.size ?? 0) < each.bytes) pages += each.pages;
    }
    return pages;
  } finally {
    await environment.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The folder in a backup that has a copy of the data. */
async function copyIn(backup: string): Promise<string> {
  const names = await namesIn(backup);
  if (names.includes('data.mdb')) return backup;
  if (!names.includes(markName))
    throw new RestoreError(
      `${backup} is no backup of Heronry: expected a folder that \`heronry backup\` made, or that of a continuous backup`,
    );
  const newest = (await basesIn(backup)).at(-1);
  if (newest === undefined)
    throw new RestoreError(`${backup} has no whole copy of the data: the first one was never finished`);
  return newest.path;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new RestoreError(`${folder}: ${systemText(error)}: expected a folder`, { cause: error });
  }
}

/** The files of a backup that are no data, or that a daemon makes anew. */
const notRestored = new Set([journalName, 'lock.mdb']);

/** Copies what a data folder has, without what stood in it for a moment only. */
async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const entries = await readdir(from, { withFileTypes: true });
  for (const each of entries)
    if (!notRestored.has(each.name) && !isTransient(each.name)) await copyEntry(each, to, each.name);
  // A copy of the folders of sinks that was finished, but had not taken the place of the one before.
  const spare = entries.find(({ name }) => name === `${sinksFolder}.part`);
  if (spare !== undefined && !existsSync(join(to, sinksFolder))) await copyEntry(spare, to, sinksFolder);
}

async function copyEntry(entry: Dirent, to: string, name: string): Promise<void> {
  const [path, copy] = [join(entry.parentPath, entry.name), join(to, name)];
  if (entry.isDirectory()) {
    await mkdir(copy, { mode: 0o700 });
    for (const each of await readdir(path, { withFileTypes: true })) await copyEntry(each, copy, each.name);
  } else if (entry.isFile()) {
    await copyFile(path, copy);
    await chmod(copy, 0o600);
  }
}
