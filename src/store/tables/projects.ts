import type { Environment } from '../environment.ts';
import type { ProjectRow } from '../rows.ts';
import { type Table, table } from './table.ts';

/** What people track, by id. */
export type ProjectTable = Table<string, ProjectRow>;

export function projectTable(environment: Environment): ProjectTable {
  return table(environment, 'projects');
}
