import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTransient, syncFile } from './backup-layout.ts';
import { ControlError } from '../control/error.ts';
import { systemText } from '../definition/file.ts';
import { ignoreTaken, makeFolder } from '../make-folder.ts';
import { logFile } from '../log.ts';
import type { Store } from '../store/store.ts';
import { packPath } from '../vault/pack.ts';
import { type Vault, vaultFolder } from '../vault/vault.ts';

/** The files of a data folder that a backup makes anew, or leaves out. */
const notCopied = new Set(['data.mdb', 'lock.mdb', logFile]);

/** What a backup copies. */
interface BackupParts {
  readonly store: Pick<Store, 'environment' | 'vault'>;
  /** Missing where no pages are kept. */
  readonly vault: Pick<Vault, 'copying'> | undefined;
}

/**
 * Copies a daemon's data to a new folder while the daemon runs: the store as it was at one instant, then the kept pages, which are all
 * that the copied store names and perhaps some more, and the files beside it, such as the key of sessions. The folder is open to its owner
 * alone. Resolves with the bytes of the store and the pages. Rejects with a `ControlError` where anything stands at the path, or it cannot be written; nothing of a copy
 * that fails stays.
 */
export async function backupTo(path: string, data: string, parts: BackupParts): Promise<number> {
  try {
    await makeFolder(dirname(path)).catch(ignoreTaken);
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere ? 'something stands there already' : systemText(error);
    throw new ControlError('conflict', `${path}: ${why}: expected a folder to be made`, { cause: error });
  }
  try {
    const { vault } = parts;
    return await (vault === undefined ? copyAll(path, data, parts) : vault.copying(() => copyAll(path, data, parts)));
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw new ControlError('conflict', `${path}: the backup failed: ${systemText(error)}`, { cause: error });
  }
}

async function copyAll(path: string, data: string, { store }: BackupParts): Promise<number> {
  await store.environment.copyTo(path);
  const bytes = await copyPacks(path, data, store);
  await copyFiles(path, data);
  if (await hasSinks(data)) await copySinks(join(data, sinksFolder), join(path, sinksFolder));
  await chmod(join(path, 'data.mdb'), 0o600);
  return bytes + (await stat(join(path, 'data.mdb'))).size;
}

/**
 * Copies the files beside the store that differ from their copies, such as the key of sessions. A copy that is cut short leaves the one before, as does
 * a file that is removed meanwhile.
 */
export async function copyFiles(path: string, data: string): Promise<void> {
  for (const each of await readdir(data, { withFileTypes: true })) {
    if (!each.isFile() || notCopied.has(each.name) || isTransient(each.name)) continue;
    const from = join(data, each.name);
    await copyBeside(from, join(path, each.name)).catch((error: unknown) => {
      if (!isMissing(error) || existsSync(from)) throw error;
    });
  }
}

async function copyBeside(from: string, copy: string): Promise<void> {
  if (await isSame(from, copy)) return;
  await copyFile(from, `${copy}.part`);
  await chmod(`${copy}.part`, 0o600);
  await syncFile(`${copy}.part`);
  await rename(`${copy}.part`, copy);
}

/** Whether a copy has the bytes of a file; such files are small. */
async function isSame(file: string, copy: string): Promise<boolean> {
  const before = await readFile(copy).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return before?.equals(await readFile(file)) ?? false;
}

/** The folder of a data folder in which file sinks keep what is not yet a file. */
export const sinksFolder = 'sinks';

/** Whether a data folder has folders of sinks. */
export async function hasSinks(data: string): Promise<boolean> {
  const entries = await readdir(data, { withFileTypes: true });
  return entries.some((each) => each.isDirectory() && each.name === sinksFolder);
}

/** Copies the packs that the store names now. Bytes of a pack beyond the copied index are cut off when the copy is opened. Resolves with their bytes. */
async function copyPacks(path: string, data: string, { vault }: BackupParts['store']): Promise<number> {
  const folder = vaultFolder(path);
  await mkdir(folder, { mode: 0o700 });
  let bytes = 0;
  for (const { pack } of [...vault.packs.rows()]) {
    const copy = packPath(folder, pack);
    if (!(await copied(packPath(vaultFolder(data), pack), copy))) continue;
    await chmod(copy, 0o600);
    bytes += (await stat(copy)).size;
  }
  return bytes;
}

/** Attempts to copy the folders of sinks. Sinks rename a file every few seconds at most. */
const attempts = 20;

/** Copies what file sinks have taken and not yet made a file of. If a sink renames a file meanwhile, all is copied again, so that the file is there by one of its names. */
export async function copySinks(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await cp(from, to, { recursive: true });
    } catch (error) {
      if (!isMissing(error) || attempt === attempts) throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Copies a file; resolves with `false` if the file is gone, which the vault reports itself. */
async function copied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
