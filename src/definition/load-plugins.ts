import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedSource } from './catalogue.ts';
import type { LoadedSources } from './load.ts';
import { type ReadPlugin, readPlugin } from './plugin-file.ts';
import { type Problem, problemsOf } from './problem.ts';
import type { Issue } from './reference.ts';
import { maxFileBytes, readRegularFile } from './regular-file.ts';
import { definitionVersion } from './version.ts';
import { readYaml } from './yaml.ts';

export interface PluginFolders {
  /** Of the definition files. */
  readonly folder: string;
  readonly plugins: string;
}

/** Reads the plug-ins that sources name, each once; a source without its file is a problem of its definition. */
export async function withPlugins(
  { sources, problems }: LoadedSources,
  { folder, plugins }: PluginFolders,
): Promise<{ readonly sources: readonly LoadedSource[]; readonly problems: readonly Problem[] }> {
  const read = new Map<string, ReadPlugin>();
  const loaded: LoadedSource[] = [];
  const found: Problem[] = [...problems];
  for (const source of sources) {
    const { plugin: name } = source;
    if (name === undefined) {
      loaded.push({ source, version: definitionVersion(source) });
      continue;
    }
    const file = read.get(name) ?? (await readPlugin(plugins, name));
    read.set(name, file);
    if (file.ok) loaded.push({ source, version: definitionVersion(source, file.plugin.version), plugin: file.plugin });
    else {
      const message = `${join(plugins, name)}: ${file.message}`;
      found.push(...(await problemsIn(definitionIn(folder, source.id), [{ path: ['plugin'], message }])));
    }
  }
  return { sources: loaded, problems: found };
}

/** What is found wrong with a definition after it was loaded, at its places in the file. */
export async function problemsIn(file: string, issues: readonly Issue[]): Promise<Problem[]> {
  const found = await readRegularFile(file, maxFileBytes);
  const yaml = found.ok ? readYaml(found.bytes.toString('utf8'), file) : undefined;
  if (yaml?.ok === true) return problemsOf(issues, file, yaml.locate);
  // It was changed meanwhile, which the next look at it tells.
  return issues.map(({ message }) => ({ file, line: 1, column: 1, path: '', message }));
}

/** The file that a source was loaded from. */
export function definitionIn(folder: string, id: string): string {
  const other = join(folder, `${id}.yml`);
  return existsSync(other) ? other : join(folder, `${id}.yaml`);
}
