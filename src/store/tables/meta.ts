import type { Environment } from '../lmdb/environment.ts';
import { type Table, table } from '../lmdb/table.ts';

/** The daemon that has claimed a store. */
export interface ClaimRow {
  readonly pid: number;
  /** Start time of the process where the system tells it, as a process id may be used again. */
  readonly processStart?: string;
  readonly socket: string;
  readonly startedAt: number;
  /** Where the claimed store is. A copy of the store carries the claim, and is another file. */
  readonly place?: { readonly machine: string; readonly folder: string; readonly file: string };
}

/** The store's own data. */
export function metaTable(environment: Environment) {
  const rows: Table<string, number | string | ClaimRow> = table(environment, 'meta');
  return {
    /** The number of the schema; `undefined` in an environment that is new or not a store of Heronry. */
    schema(): number | undefined {
      const row = rows.get('schema');
      return typeof row === 'number' ? row : undefined;
    },
    setSchema: (schema: number) => rows.put('schema', schema),
    /** The generation of the ids of events; `undefined` before the first commit. */
    generation(): string | undefined {
      const row = rows.get('generation');
      return typeof row === 'string' ? row : undefined;
    },
    setGeneration: (generation: string) => rows.put('generation', generation),
    /** The identity of the file that the store was last opened in; `undefined` before the first time. A copy has another. */
    home(): string | undefined {
      const row = rows.get('home');
      return typeof row === 'string' ? row : undefined;
    },
    setHome: (file: string) => rows.put('home', file),
    /** The highest number that may have been given to a scrape; `undefined` before the first. */
    reservedScrapes(): number | undefined {
      const row = rows.get('scrapes');
      return typeof row === 'number' ? row : undefined;
    },
    reserveScrapes: (last: number) => rows.put('scrapes', last),
    /** The daemon that claimed the store last and has not released it. */
    holder(): ClaimRow | undefined {
      const row = rows.get('holder');
      return typeof row === 'object' ? row : undefined;
    },
    setHolder(holder: ClaimRow | undefined): void {
      if (holder === undefined) rows.remove('holder');
      else rows.put('holder', holder);
    },
  };
}
