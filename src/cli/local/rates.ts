import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DaemonConfig } from '../../definition/daemon.ts';
import type { Problem } from '../../definition/problem.ts';

/** Resolves with the problem of the table of rates that the configuration in a folder names, if there is one. */
export async function rateProblems(folder: string, rates: DaemonConfig['rates']): Promise<readonly Problem[]> {
  if (rates === undefined || !('file' in rates)) return [];
  const file = resolve(folder, rates.file);
  const [{ readTable }, { systemText }] = await Promise.all([
    import('../../figures/rates.ts'),
    import('../../definition/file.ts'),
  ]);
  const text = await readFile(file, 'utf8').catch((error: unknown) => ({ unread: systemText(error) }));
  const problem = typeof text === 'string' ? readTable(text, file).problem : `${file}: ${text.unread}`;
  return problem === undefined ? [] : [{ file, line: 1, column: 1, path: '', message: problem.slice(file.length + 2) }];
}
