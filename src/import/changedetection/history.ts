import { basename } from 'node:path/posix';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type Archive, ArchiveError } from '../archive.ts';
import { firstSeconds, lastSeconds } from '../likely-instants.ts';
import type { Watch } from './schema.ts';

const expand = promisify(brotliDecompress);

/** Bytes of one snapshot that are read, once it is expanded. */
const snapshotBytes = 16 * 2 ** 20;

/** The newest snapshots of a watch that are taken. */
export const mostSnapshots = 10_000;

/** A snapshot of a page in a backup. */
export interface SnapshotPlace {
  readonly at: number;
  /** The path in the archive. */
  readonly path: string;
}

/** The snapshots of a watch, oldest first, and how many of its index cannot be taken. */
export interface Snapshots {
  readonly places: readonly SnapshotPlace[];
  /** Texts of which the archive has no file. */
  readonly missing: number;
  /** Texts before the newest that are taken. */
  readonly older: number;
  /** Pictures and other files that are no text. */
  readonly binary: number;
}

/** Finds the snapshots of a watch by its index, `history.txt`. Rejects with an `ArchiveError` where that cannot be read. */
export async function snapshotsOf(archive: Archive, id: string, watch: Watch): Promise<Snapshots> {
  const { processor } = watch;
  const name = !processor || processor === 'text_json_diff' ? 'history.txt' : `history-${basename(processor)}.txt`;
  const index = (await archive.read(`${id}/${name}`)) ?? (await archive.read(`${id}/history.txt`));
  const lines = index === undefined ? [] : index.toString().split(/\r\n|\n|\r/);
  const listed = [
    ...Object.entries(watch.history ?? {}),
    ...lines.flatMap((line): [string, string][] => {
      const [, at, file] = /^(\d{1,12}),\s*(.+)$/.exec(line.trim()) ?? [];
      return at === undefined || file === undefined ? [] : [[at, file]];
    }),
  ];
  const found = new Map<number, string>();
  let missing = 0;
  let binary = 0;
  for (const [at, file] of listed) {
    const seconds = Number(at);
    // An index may have whole paths of the machine that wrote it: only files of the watch itself are read.
    const path = pathOf(archive, `${id}/${basename(file.trim())}`);
    if (/\.(?:png|jpe?g|gif|webp|pdf|bin|jfif)$/i.test(file)) binary += 1;
    else if (path === undefined || !(seconds > firstSeconds && seconds < lastSeconds)) missing += 1;
    else found.set(seconds * 1_000, path);
  }
  const places = Array.from(found, ([at, path]) => ({ at, path })).toSorted((one, other) => one.at - other.at);
  const older = Math.max(0, places.length - mostSnapshots);
  return { places: places.slice(-mostSnapshots), missing, older, binary };
}

/** The path of a snapshot, compressed or not, whichever the archive has. */
function pathOf(archive: Archive, path: string): string | undefined {
  const plain = path.replace(/\.br$/, '');
  return [path, plain, `${plain}.br`].find((each) => archive.has(each));
}

/** Resolves with the text of a snapshot. Rejects with an `ArchiveError` where it cannot be read. */
export async function snapshotAt(archive: Archive, path: string): Promise<string> {
  const bytes = await archive.read(path);
  if (bytes === undefined) throw new ArchiveError('no such file');
  if (!path.endsWith('.br')) return bytes.subarray(0, snapshotBytes).toString();
  try {
    return (await expand(bytes, { maxOutputLength: snapshotBytes })).toString();
  } catch (error) {
    throw new ArchiveError('a snapshot that cannot be expanded', { cause: error });
  }
}
