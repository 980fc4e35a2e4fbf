import { dirname, resolve } from 'node:path';
import type { DaemonConfig } from '../../definition/daemon.ts';
import type { Problem } from '../../definition/problem.ts';
import type { Issue } from '../../schema/expected.ts';

/** Resolves with the problems of a heronry.yaml for which a daemon would not start: where its backup lies, and what its file of the cluster's key holds. */
export async function placeProblems(
  file: string,
  { data, backup, engine }: Partial<Pick<DaemonConfig, 'data' | 'backup' | 'engine'>> = {},
): Promise<readonly Problem[]> {
  const at = (path: string): string => resolve(dirname(file), path);
  const issues: Issue[] = [];
  if (backup !== undefined && data !== undefined) {
    const { backupPlaceFault } = await import('../../definition/backup-place.ts');
    const message = backupPlaceFault(at(backup.to), at(data));
    if (message !== undefined) issues.push({ path: ['backup', 'to'], message });
  }
  const key = engine?.bullmq.key;
  const message = key === undefined ? undefined : await keyFault(at(key));
  if (message !== undefined) issues.push({ path: ['engine', 'bullmq', 'key'], message });
  if (issues.length === 0) return [];
  const { problemsIn } = await import('../../definition/load-file.ts');
  return problemsIn(file, issues);
}

/** Why the file of a key cannot be used; `undefined` where it can, or there is none. */
async function keyFault(file: string): Promise<string | undefined> {
  const [{ KeyFileError, readKeyIfThere }, { unreadable }] = await Promise.all([
    import('../../session/seal.ts'),
    import('../../definition/file.ts'),
  ]);
  try {
    await readKeyIfThere(file);
    return undefined;
  } catch (error) {
    return error instanceof KeyFileError ? error.message : `${file}: ${unreadable(error)}`;
  }
}
