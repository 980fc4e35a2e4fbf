import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, for their owner alone. Rejects with what the system says where one cannot be made. One
 * by one, as `mkdir` with `recursive` never ends below a folder in which nothing can be made, such as `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    // It may be there by now, as others make folders too.
    if (!(await isFolder(dirname(path)))) await makeFolder(dirname(path));
    await makeOne(path);
  }
}

/** Makes a folder below one that is there, unless it is there itself. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || !(await isFolder(path))) throw error;
  }
}

/** For `catch` after `makeFolder`: lets a file in place of the folder pass, where the next step says what is wrong with it. */
export function ignoreTaken(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
