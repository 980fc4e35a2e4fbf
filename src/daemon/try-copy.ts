import { startProcess } from '../process/own-process.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(
  new URL(`../store/lmdb/copy-used-pages.process${extname(import.meta.filename)}`, import.meta.url),
);

/**
 * Copies the pages of a store that are in use, removes the copy, and reads all rows: in a process of its own, as reading a page that is
 * missing or damaged may end it.
 * @param folder - The folder of the store, which gets the copy, and a daemon may have open.
 * @returns Why they cannot be copied or read; `undefined` where they can.
 */
export async function whyNotCopied(folder: string): Promise<string | undefined> {
  const target = await mkdtemp(join(folder, 'tried-'));
  try {
    const child = await startProcess(file, [folder, target]);
    const { status, signal, tail } = await child.ended;
    if (status === 0) return undefined;
    return tail.at(-1) ?? `a process that reads them ends by ${signal ?? `status ${status}`}`;
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}
