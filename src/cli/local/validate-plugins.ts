import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Problem } from '../../definition/problem.ts';
import type { Issue } from '../../definition/reference.ts';
import type { Source } from '../../definition/source.ts';
import { definitionFile } from './definitions.ts';
import { describePlugin } from './plugin-thread.ts';

/** The plug-ins that were looked at and can be loaded, and what is wrong with the others or with what they are told. */
export interface ValidatedPlugins {
  readonly plugins: number;
  readonly problems: readonly Problem[];
}

/** The folder of plug-ins, as the configuration names it, else beside that of definitions. */
export function pluginsFolder(folder: string, named: string | undefined, sources: string | undefined): string {
  return named === undefined
    ? resolve(sources === undefined ? folder : dirname(sources), 'plugins')
    : resolve(folder, named);
}

/** Validates the plug-ins of a folder, or the one that is named. */
export async function validatePlugins(folder: string, only?: string): Promise<ValidatedPlugins> {
  if (!existsSync(folder)) return { plugins: 0, problems: [] };
  const { PluginName } = await import('../../definition/plugin.ts');
  const files = readdirSync(folder).filter(
    (name) => (only === undefined || name === only) && PluginName.safeParse(name).success && !name.endsWith('.d.ts'),
  );
  const problems: Problem[] = [];
  for (const name of files.sort()) {
    const described = await describePlugin(folder, name);
    if (described.ok) continue;
    const { message } = described;
    problems.push({ file: join(folder, name), ...placeIn(message), path: '', message });
  }
  return { plugins: files.length - problems.length, problems };
}

/** What is wrong between definitions and the plug-ins that they name: files that are not there, and options that are refused. */
export async function pluginUseProblems(
  sources: readonly Source[],
  sourcesFolder: string,
  folder: string,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { id, plugin, options } of sources) {
    if (plugin === undefined) continue;
    const file = definitionFile(sourcesFolder, id);
    if (!existsSync(join(folder, plugin))) {
      problems.push(
        ...(await located(file, [{ path: ['plugin'], message: `there is no file "${plugin}" in ${folder}` }])),
      );
      continue;
    }
    const described = await describePlugin(folder, plugin, options);
    // One that cannot be loaded is told of by itself.
    if (!described.ok) continue;
    const issues = described.shape.optionIssues.map(({ path, message }) => ({ path: ['options', ...path], message }));
    problems.push(...(await located(file, issues)));
  }
  return problems;
}

async function located(file: string, issues: readonly Issue[]): Promise<Problem[]> {
  if (issues.length === 0) return [];
  const [{ readYaml }, { problemsOf }] = await Promise.all([
    import('../../definition/yaml.ts'),
    import('../../definition/problem.ts'),
  ]);
  const yaml = readYaml(await readFile(file, 'utf8'), file);
  return yaml.ok ? problemsOf(issues, file, yaml.locate) : [...yaml.problems];
}

/** The line that a message names, if it does. */
function placeIn(message: string): { readonly line: number; readonly column: number } {
  const [, line = '1', column = '1'] = /:(\d+):(\d+)/.exec(message) ?? /\bline (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}
