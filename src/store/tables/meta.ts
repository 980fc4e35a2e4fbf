import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** Who keeps a store open. */
export interface Identity {
  readonly pid: number;
  /** Tells the process from a later one with the same number, where the system can say. */
  readonly born?: string;
  readonly socket: string;
  readonly startedAt: number;
}

/** What the store knows of itself. */
export interface MetaTable {
  /** The number of its layout; missing in an environment that is new or not ours. */
  schema(): number | undefined;
  setSchema(schema: number): void;
  /** Who claimed it last, and has not released it. */
  holder(): Identity | undefined;
  setHolder(holder: Identity | undefined): void;
}

export function metaTable(environment: Environment): MetaTable {
  const rows: Table<string, number | Identity> = table(environment, 'meta');
  return {
    schema() {
      const row = rows.get('schema');
      return typeof row === 'number' ? row : undefined;
    },
    setSchema: (schema) => rows.put('schema', schema),
    holder() {
      const row = rows.get('holder');
      return typeof row === 'object' ? row : undefined;
    },
    setHolder(holder) {
      if (holder === undefined) rows.remove('holder');
      else rows.put('holder', holder);
    },
  };
}
