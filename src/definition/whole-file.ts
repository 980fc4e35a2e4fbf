import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemText } from './file.ts';

/** The result of writing or removing a file; `message` says why it cannot be. */
export type FileChange = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Writes a file so that it is there whole, or as it was; one that is replaced keeps its mode. Rejects with Node's system error, and leaves nothing else then. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.new`);
  const mode = await stat(file).then(
    (before) => before.mode & 0o777,
    () => undefined,
  );
  try {
    await writeDraft(draft, text, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** @param mode - missing for the mode that new files have. */
async function writeDraft(draft: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(draft, 'w', mode);
  try {
    // The process's umask narrows the mode of a file that is opened, and one that a crash has left keeps its own.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
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
