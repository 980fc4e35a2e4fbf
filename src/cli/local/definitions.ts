import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DaemonConfig } from '../../definition/daemon.ts';
import type { Loaded } from '../../definition/load-file.ts';
import type { Source } from '../../definition/source.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import { configName, projectFolder } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Resolves with the folder of definitions: `named`, else what the nearest heronry.yaml says, of the present folder or one
 * above it, else `sources` beside that file.
 */
export async function sourcesFolder({ cwd }: Terminal, named?: string): Promise<string> {
  if (named !== undefined) return resolve(cwd, named);
  const folder = projectFolder(cwd) ?? cwd;
  return resolve(folder, (await configured(folder))?.sources ?? 'sources');
}

/** Resolves with the folder of plug-ins by the nearest heronry.yaml, as `pluginsIn` does. */
export async function pluginsFolder({ cwd }: Terminal, sources: string): Promise<string> {
  const folder = projectFolder(cwd) ?? cwd;
  return pluginsIn(folder, sources, (await configured(folder))?.plugins);
}

/** Returns the folder of plug-ins: the configured one within `folder`, else `plugins` beside the definitions. */
export function pluginsIn(folder: string, sources: string | undefined, named: string | undefined): string {
  if (named !== undefined) return resolve(folder, named);
  return resolve(sources === undefined ? folder : dirname(sources), 'plugins');
}

/** Loads the heronry.yaml of a folder; nothing where there is none or it has problems, which `validate` reports. */
export async function configured(folder: string): Promise<DaemonConfig | undefined> {
  const file = resolve(folder, configName);
  if (!existsSync(file)) return undefined;
  const { loadDaemon } = await import('../../definition/load.ts');
  const daemon = await loadDaemon(file);
  return daemon.ok ? daemon.value : undefined;
}

/** Loads a definition, or the problems of its file. Rejects with a `CommandError` where there is no such file. */
export async function loadDefinition(folder: string, id: string): Promise<Loaded<Source>> {
  const { pageId, pageSource } = await import('../../definition/page.ts');
  if (id === pageId) return { ok: true, value: pageSource };
  const { SourceId } = await import('../../schema/slug.ts');
  const { definitionIn } = await import('../../definition/file.ts');
  const file = SourceId.safeParse(id).success ? definitionIn(folder, id) : undefined;
  if (file === undefined || !existsSync(file)) {
    throw new CommandError('not_found', `no valid source "${id}" in ${folder}: ${await listed(folder)}`);
  }
  const { loadSource } = await import('../../definition/load.ts');
  return loadSource(file);
}

/** Loads a valid definition. Rejects with a `CommandError` that lists its problems, or where there is no such file. */
export async function validDefinition(terminal: Terminal, folder: string, id: string): Promise<Source> {
  const loaded = await loadDefinition(folder, id);
  if (loaded.ok) return loaded.value;
  throw new CommandError('invalid', `source "${id}" is not valid:\n${showProblems(terminal, loaded.problems)}`);
}

async function listed(folder: string): Promise<string> {
  const { loadSources } = await import('../../definition/load.ts');
  const { sources } = await loadSources(folder);
  return sources.length === 0 ? 'there is none at all' : `there are ${sources.map(({ id }) => id).join(', ')}`;
}
