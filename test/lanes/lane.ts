import { accessSync, constants, globSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const tests = join(import.meta.dirname, '..');

/** Folders whose tests start whole daemons, or programs beside them; the tests of all others share the lanes called `parts`. */
const wholeDaemon = ['cli', 'daemon', 'docs', 'mcp', 'telemetry'];

/** The folder in which Linux keeps files in memory, and the free bytes in it that tests need to use it. */
const memoryFolder = '/dev/shm';
const roomNeeded = 2 * 1024 ** 3;

/** Whether files can be kept in memory. */
function hasMemoryFolder(): boolean {
  try {
    accessSync(memoryFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= roomNeeded;
  } catch {
    // Other systems have no such folder.
    return false;
  }
}

/**
 * Loads the share `index` of `count` of the test files of a ground into this process, so that they pay once for the modules which
 * they all import. A file called `*.process.test.ts` is left out: it ends, signals or measures its own process, or kills others, and has one to itself.
 *
 * @param index - from 1 to `count`.
 */
export async function loadShare(ground: 'daemon' | 'parts', index: number, count: number): Promise<void> {
  const files = globSync('**/*.test.ts', { cwd: tests })
    .filter((file) => !file.endsWith('.process.test.ts'))
    .filter((file) => wholeDaemon.includes(file.split(/[/\\]/)[0] ?? '') === (ground === 'daemon'))
    .toSorted();
  if (files.length < count) throw new Error(`${ground}: expected test files below ${tests}, found ${files.length}`);
  // Each daemon of a test opens a store of its own, and would wait for the disk most of the time.
  if (hasMemoryFolder()) process.env['TMPDIR'] ??= memoryFolder;
  for (const [at, file] of files.entries())
    if (at % count === index - 1) await import(pathToFileURL(join(tests, file)).href);
}
