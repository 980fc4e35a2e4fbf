import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Loaded } from '../../definition/load.ts';
import type { Source } from '../../definition/source.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';

/** The folder of definitions: the one that is named, else what heronry.yaml in the present folder says, else `sources`. */
export async function sourcesFolder({ cwd }: Terminal, named?: string): Promise<string> {
  if (named !== undefined) return resolve(cwd, named);
  const file = resolve(cwd, 'heronry.yaml');
  if (!existsSync(file)) return resolve(cwd, 'sources');
  const { loadDaemon } = await import('../../definition/load.ts');
  const daemon = await loadDaemon(file);
  return resolve(cwd, daemon.ok ? daemon.value.sources : 'sources');
}

/** The folder of plug-ins: what heronry.yaml in the present folder says, else `plugins` beside the definitions. */
export async function pluginsFolder({ cwd }: Terminal, sources: string): Promise<string> {
  const file = resolve(cwd, 'heronry.yaml');
  const { loadDaemon } = await import('../../definition/load.ts');
  const daemon = existsSync(file) ? await loadDaemon(file) : undefined;
  const named = daemon?.ok ? daemon.value.plugins : undefined;
  return named === undefined ? resolve(dirname(sources), 'plugins') : resolve(cwd, named);
}

/** The file that a source's definition stands in, there or not. */
export function definitionFile(folder: string, id: string): string {
  const other = join(folder, `${id}.yml`);
  return existsSync(other) ? other : join(folder, `${id}.yaml`);
}

/** Loads one definition, or tells what is wrong with it; throws where there is none. */
export async function loadDefinition(folder: string, id: string): Promise<Loaded<Source>> {
  const { SourceId } = await import('../../definition/slug.ts');
  const file = SourceId.safeParse(id).success ? definitionFile(folder, id) : undefined;
  if (file === undefined || !existsSync(file)) {
    throw new CommandError(exitStatus.notFound, `no valid source "${id}" in ${folder}: ${await listed(folder)}`);
  }
  const { loadSource } = await import('../../definition/load.ts');
  return loadSource(file);
}

/** The same where only a valid one is of use. */
export async function validDefinition(terminal: Terminal, folder: string, id: string): Promise<Source> {
  const loaded = await loadDefinition(folder, id);
  if (loaded.ok) return loaded.value;
  throw new CommandError(exitStatus.failed, `source "${id}" is not valid:\n${showProblems(terminal, loaded.problems)}`);
}

async function listed(folder: string): Promise<string> {
  const { loadSources } = await import('../../definition/load.ts');
  const { sources } = await loadSources(folder);
  return sources.length === 0 ? 'there is none at all' : `there are ${sources.map(({ id }) => id).join(', ')}`;
}
