import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ControlError } from '../control/error.ts';
import { makeFolder, systemText } from '../definition/file.ts';
import { logFile } from '../log.ts';
import type { Environment } from '../store/lmdb/environment.ts';

/** The files of a data folder that a backup makes anew, or leaves out. */
const notCopied = new Set(['data.mdb', 'lock.mdb', logFile]);

/**
 * Copies a daemon's data to a new folder while the daemon runs: the store as it was at one instant, and the files beside it, such as the key
 * of sessions. The folder is open to its owner alone. Resolves with the bytes of the store. Rejects with a `ControlError` where anything stands at the path, or it cannot
 * be written; nothing of a copy that fails stays.
 */
export async function backupTo(path: string, data: string, environment: Pick<Environment, 'copyTo'>): Promise<number> {
  try {
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere ? 'something stands there already' : systemText(error);
    throw new ControlError('conflict', `${path}: ${why}: expected a folder to be made`, { cause: error });
  }
  try {
    await environment.copyTo(path);
    const beside = (await readdir(data, { withFileTypes: true })).filter(
      (each) => each.isFile() && !notCopied.has(each.name),
    );
    for (const { name } of beside) await copyFile(join(data, name), join(path, name));
    for (const name of await readdir(path)) await chmod(join(path, name), 0o600);
    return (await stat(join(path, 'data.mdb'))).size;
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw new ControlError('conflict', `${path}: the backup failed: ${systemText(error)}`, { cause: error });
  }
}
