import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { ProjectRow } from './rows.ts';

/** The projects, by id. */
export function projectTable(environment: Environment) {
  const projects = heldTable<string, ProjectRow>(environment, 'projects');
  return {
    ...projects,
    /** Up to `limit` projects after `last`, by id; the first ones without it. */
    rowsAfter: (last: ProjectRow | undefined, limit: number) => projects.rows({ after: last?.id, limit }),
  };
}
