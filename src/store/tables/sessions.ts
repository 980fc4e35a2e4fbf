import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** The sessions of sources, by source, sealed: what stands in them is known to who has the key. */
export type SessionTable = Table<string, string>;

export function sessionTable(environment: Environment): SessionTable {
  return table(environment, 'sessions');
}
