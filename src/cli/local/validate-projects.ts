import { basename, extname } from 'node:path';
import type { LoadedSources } from '../../definition/load.ts';
import type { Problem } from '../../definition/problem.ts';
import type { KnownSources } from '../../definition/project-issues.ts';
import type { Projects } from '../../definition/project.ts';

/** The definitions of a folder, as they were loaded. */
export interface Definitions extends LoadedSources {
  readonly folder: string;
}

/**
 * What is wrong between the projects of a file and their sources, and between their targets: what `apply` refuses.
 *
 * @param definitions - missing where there is no telling which sources there are.
 */
export async function projectProblems(file: string, projects: Projects, definitions?: Definitions): Promise<Problem[]> {
  const [{ problemsIn }, { projectIssues }] = await Promise.all([
    import('../../definition/load-plugins.ts'),
    import('../../definition/project-issues.ts'),
  ]);
  const known = knownSources(definitions);
  const issues = projects.flatMap((project, index) =>
    Array.from(projectIssues(project, known), ({ path, message }) => ({ path: [index, ...path], message })),
  );
  if (issues.length === 0) return [];
  const problems = await problemsIn(file, issues);
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** A definition that has problems is told of by itself, and so is a folder that cannot be read. */
function knownSources({ folder = '', sources = [], problems = [] }: Partial<Definitions> = {}): KnownSources {
  const broken = new Set(problems.map(({ file }) => basename(file, extname(file))));
  const isRead = folder !== '' && !problems.some(({ file }) => file === folder);
  return {
    byId: new Map(sources.map((source) => [source.id, { source }])),
    missing: (id) => (isRead && !broken.has(id) ? `no source "${id}" is defined` : undefined),
  };
}
