import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DaemonConfig } from '../../definition/daemon.ts';
import type { LoadedSources } from '../../definition/load.ts';
import type { Problem } from '../../definition/problem.ts';

/**
 * Resolves with the problem of the rates that the configuration in a folder names, if there is one: of their table, or of the records that
 * they are.
 *
 * @param config - the file of the configuration.
 * @param loaded - the definitions; missing where it is not known which there are.
 */
export async function rateProblems(
  config: string,
  rates: DaemonConfig['rates'],
  loaded: LoadedSources | undefined,
): Promise<readonly Problem[]> {
  if (rates === undefined) return [];
  if ('file' in rates) return tableProblems(resolve(config, '..', rates.file));
  // A definition with problems is told by itself, and what it declares is not known.
  if (loaded === undefined || loaded.problems.length > 0) return [];
  const [{ rateIssues }, { problemsIn }] = await Promise.all([
    import('../../definition/rate-issues.ts'),
    import('../../definition/load-file.ts'),
  ]);
  const issues = rateIssues(rates, loaded.sources);
  return issues.length === 0 ? [] : problemsIn(config, issues);
}

async function tableProblems(file: string): Promise<readonly Problem[]> {
  const [{ readTable }, { systemText }] = await Promise.all([
    import('../../figures/rates.ts'),
    import('../../definition/file.ts'),
  ]);
  const text = await readFile(file, 'utf8').catch((error: unknown) => ({ unread: systemText(error) }));
  const problem = typeof text === 'string' ? readTable(text, file).problem : `${file}: ${text.unread}`;
  return problem === undefined ? [] : [{ file, line: 1, column: 1, path: '', message: problem.slice(file.length + 2) }];
}
