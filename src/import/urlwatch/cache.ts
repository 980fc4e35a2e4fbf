import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { firstSeconds, lastSeconds } from '../likely-instants.ts';
import type { Snapshots } from './translate.ts';

/** The newest texts of a job that are taken. */
const mostVersions = 1_000;

/** Characters of a text that are taken. */
const mostUnits = 1_000_000;

const Row = z.object({ timestamp: z.number(), data: z.string() });

/** Thrown for a file that is no database of urlwatch. */
export class CacheError extends Error {
  override readonly name = 'CacheError';
}

/** Opens the database in which urlwatch keeps what it read, to read it alone. It throws a `CacheError` where it is none, and its snapshots do where a part of it is damaged. */
export function openCache(file: string): { readonly snapshots: Snapshots; close(): void } {
  const database = opened(file);
  try {
    const rows = database.prepare(
      `select timestamp, substr(data, 1, ?) as data from CacheEntry where rowid in
        (select rowid from CacheEntry where guid = ? and timestamp between ? and ? and (tries = 0 or tries is null)
          order by timestamp desc limit ?)
        order by timestamp`,
    );
    return {
      *snapshots(guid) {
        try {
          for (const row of rows.iterate(mostUnits, guid, firstSeconds, lastSeconds, mostVersions)) {
            const { success, data: read } = Row.safeParse(row);
            if (success) yield { at: Math.round(read.timestamp * 1_000), text: read.data };
          }
        } catch (error) {
          // A part of the file is damaged.
          throw refused(error);
        }
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw refused(error);
  }
}

function opened(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    throw refused(error);
  }
}

function refused(error: unknown): CacheError {
  return new CacheError(error instanceof Error ? error.message : String(error), { cause: error });
}
