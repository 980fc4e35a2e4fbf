import { stat } from 'node:fs/promises';
import { type Database, open } from 'lmdb';
import { readFrames } from './journal.ts';
import type { TableKey } from './table.ts';

/**
 * Brings the copy of a store in a folder to the instant of the last whole frame of its journal. Resolves with that instant, `undefined`
 * where no frame is whole, and with the bytes of the journal behind it.
 */
export async function replayJournal(
  journal: string,
  folder: string,
): Promise<{ readonly asOf: number | undefined; readonly cutBytes: number }> {
  const root = open<Buffer>({ path: folder, noSubdir: false, maxDbs: 128, encoding: 'binary' });
  const databases = new Map<string, Database<Buffer, TableKey>>();
  let asOf: number | undefined;
  let end = 0;
  try {
    for await (const frame of readFrames(journal)) {
      // Databases are opened before the transaction that writes to them.
      for (const { table } of frame.rows)
        if (!databases.has(table))
          databases.set(table, root.openDB<Buffer, TableKey>({ name: table, encoding: 'binary' }));
      await root.transaction(() => {
        for (const { table, key, bytes } of frame.rows) {
          const database = databases.get(table);
          if (bytes === undefined) database?.removeSync(key);
          else database?.putSync(key, bytes);
        }
      });
      asOf = frame.head.at;
      ({ end } = frame);
    }
    await root.flushed;
  } finally {
    await root.close();
  }
  return { asOf, cutBytes: (await stat(journal)).size - end };
}
