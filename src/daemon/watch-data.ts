import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown where the store is no longer where the daemon opened it. */
export class DataGoneError extends Error {
  override readonly name = 'DataGoneError';
}

/** The interval of looking, in milliseconds. Systems tell it of some file systems only. */
const everyMs = 1_000;

/**
 * Calls `gone` once when the store in a data folder has been removed, moved or replaced. A daemon would go on with a file that nobody finds
 * any more, and all that it acknowledges is lost at its end.
 */
export function watchData(folder: string, gone: (error: DataGoneError) => void): Disposable {
  const path = join(folder, 'data.mdb');
  const opened = fileAt(path);
  const timer = setInterval(() => {
    const found = fileAt(path);
    if (found === opened && found !== missing) return;
    clearInterval(timer);
    const how = found === missing ? 'was removed or moved' : 'was replaced by another file';
    gone(
      new DataGoneError(`${path} ${how} while the daemon kept it: expected it to stay until the daemon has stopped`),
    );
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const missing = 'missing';

/** The identity of the file at a path. */
function fileAt(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? missing : `${stats.dev} ${stats.ino}`;
}
