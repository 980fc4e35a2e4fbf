import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that makes a folder the continuous backup of a store. */
export const markName = 'heronry-backup.json';

/** The file of a base with what changed since it was copied. */
export const journalName = 'journal';

/**
 * Whether a file of a data folder, or of a copy of one, stands there for a moment only: the notice of a start, a file before it has its name, a store that
 * is tried. It is neither copied nor restored.
 */
export function isTransient(name: string): boolean {
  return /\.(?:starting|part|key\.\d+\.[\da-f]{8})$|^tried-/.test(name);
}

const basePattern = /^base-(\d+)$/;

/** The folder of a base by its number. One that is not valid yet has another ending. */
export function baseName(number: number): string {
  return `base-${number}`;
}

/** The valid bases in a folder of backups, the newest last; there are two only where the removal of the older one was cut short. */
export async function basesIn(folder: string): Promise<readonly { readonly number: number; readonly path: string }[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => {
      const number = basePattern.exec(name)?.[1];
      return number === undefined ? [] : { number: Number(number), path: join(folder, name) };
    })
    .toSorted((a, b) => a.number - b.number);
}

/** Has a file, or the names in a folder, written to the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
