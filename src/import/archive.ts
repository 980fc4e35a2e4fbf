import { buffer } from 'node:stream/consumers';
import { openPromise, type Entry, type ZipFile } from 'yauzl';

/** Bytes of one file of an archive that are read, once they are expanded. */
const fileBytes = 64 * 2 ** 20;

/** Bytes of all files together. A backup with more is refused where they are reached. */
const allBytes = 4 * 2 ** 30;

/** Files of an archive. */
const mostFiles = 2_000_000;

/** Thrown for an archive that cannot be read. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** A ZIP archive whose files are read one by one; nothing of it is written to the disk. */
export interface Archive {
  /** The paths of its files, in its order. */
  readonly paths: Iterable<string>;
  has(path: string): boolean;
  /** Resolves with what a file holds, expanded; undefined where there is none of that path. Rejects with an `ArchiveError` where it is damaged, encrypted or too large. */
  read(path: string): Promise<Buffer | undefined>;
  close(): void;
}

/** Opens a ZIP archive. Rejects with an `ArchiveError` where the file is none. */
export async function openArchive(file: string): Promise<Archive> {
  const zip = await opened(file);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= mostFiles) throw new ArchiveError(`more than ${mostFiles} files`);
      // Names are only compared with those that are wanted, and lead nowhere. The first of a name counts.
      const path = entry.fileNameRaw.toString();
      if (!entries.has(path)) entries.set(path, entry);
    }
  } catch (error) {
    zip.close();
    throw damaged(error);
  }
  let left = allBytes;
  return {
    paths: entries.keys(),
    has: (path) => entries.has(path),
    async read(path) {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      if (entry.uncompressedSize > fileBytes)
        throw new ArchiveError(`a file of ${entry.uncompressedSize} bytes: ${fileBytes} at most are read`);
      left -= entry.uncompressedSize;
      if (left < 0) throw new ArchiveError(`files of more than ${allBytes} bytes`);
      try {
        // It ends by an error where a file is longer than the archive says.
        return await buffer(await zip.openReadStreamPromise(entry));
      } catch (error) {
        throw damaged(error);
      }
    },
    close: () => zip.close(),
  };
}

async function opened(file: string): Promise<ZipFile> {
  try {
    return await openPromise(file, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(error: unknown): ArchiveError {
  if (error instanceof ArchiveError) return error;
  return new ArchiveError(error instanceof Error ? error.message : String(error), { cause: error });
}
