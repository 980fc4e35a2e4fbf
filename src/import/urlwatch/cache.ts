import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
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

/** Opens the database in which urlwatch keeps what it read, to read it alone. Throws a `CacheError` where it is none. */
export function openCache(file: string): { readonly snapshots: Snapshots; close(): void } {
  const database = opened(file);
  try {
    const rows = database.prepare(
      'select timestamp, substr(data, 1, ?) as data from CacheEntry where guid = ? and (tries = 0 or tries is null) order by timestamp desc limit ?',
    );
    return {
      *snapshots(guid) {
        const found = rows.all(mostUnits, guid, mostVersions).flatMap((row) => Row.safeParse(row).data ?? []);
        for (const { timestamp, data } of found.toReversed()) yield { at: Math.round(timestamp * 1_000), text: data };
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
