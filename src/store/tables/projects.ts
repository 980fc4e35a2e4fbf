import type { Environment } from '../lmdb/environment.ts';
import type { ProjectRow } from './rows.ts';
import { table } from '../lmdb/table.ts';

/** The projects, by id. */
export function projectTable(environment: Environment) {
  const projects = table<string, ProjectRow>(environment, 'projects');
  return {
    ...projects,
    /** Up to `limit` projects after `last`, by id; the first ones without it. */
    rowsAfter: (last: ProjectRow | undefined, limit: number) => projects.rows({ after: last?.id, limit }),
  };
}
