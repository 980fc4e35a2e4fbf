import { open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemText } from './file.ts';

/** The result of writing or removing a file; `message` says why it cannot be. */
export type FileChange = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Writes a file so that it is there whole, or as it was; one that is replaced keeps its mode. Rejects with Node's system error. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.new`);
  const mode = await stat(file).then(
    (before) => before.mode & 0o777,
    () => 0o666,
  );
  const handle = await open(draft, 'w', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** Changes a file; an error of the file system is a result. */
export async function attempt(file: string, change: () => Promise<void>): Promise<FileChange> {
  try {
    await change();
    return { ok: true };
  } catch (error) {
    return { ok: false, message: `${file}: ${systemText(error)}` };
  }
}
