import type { Environment } from '../environment.ts';
import type { ProjectRow } from '../rows.ts';
import { type Table, table } from './table.ts';

/** What people track, by id. */
export interface ProjectTable extends Table<string, ProjectRow> {
  /** The slice after a project, from the first one on without it. */
  readonly rowsAfter: (last: ProjectRow | undefined, limit: number) => Iterable<ProjectRow>;
}

export function projectTable(environment: Environment): ProjectTable {
  const projects = table<string, ProjectRow>(environment, 'projects');
  return {
    ...projects,
    rowsAfter: (last, limit) => projects.rows({ ...(last && { after: last.id }), limit }),
  };
}
