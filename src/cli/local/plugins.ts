import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Pipeline } from '../../definition/pipeline.ts';
import type { Problem } from '../../definition/problem.ts';
import type { Source } from '../../definition/source.ts';
import type { PluginShape } from '../../plugin/protocol.ts';
import { callPluginOnThread } from './read-page.ts';

/** The number of plug-ins that can be loaded, and the problems of the others. */
interface ValidatedPlugins {
  readonly plugins: number;
  readonly problems: readonly Problem[];
}

/** Which plug-ins of a folder are validated. */
interface Wanted {
  /** Default: all. */
  readonly only?: string;
  /** Files whose functions pipelines call, so that they need be no providers; they are not loaded. */
  readonly called?: ReadonlySet<string>;
}

/** Loads the plug-ins of a folder and returns the problems. */
export async function validatePlugins(folder: string, { only, called }: Wanted = {}): Promise<ValidatedPlugins> {
  if (!existsSync(folder)) return { plugins: 0, problems: [] };
  const { PluginName } = await import('../../definition/plugin.ts');
  const files = readdirSync(folder).filter(
    (name) => (only === undefined || name === only) && PluginName.safeParse(name).success && !name.endsWith('.d.ts'),
  );
  const problems: Problem[] = [];
  for (const name of files.sort()) {
    const described = called?.has(name) === true ? undefined : await describePlugin(folder, name);
    if (described === undefined || described.ok) continue;
    const { message } = described;
    problems.push({ file: join(folder, name), ...placeIn(message), path: '', message });
  }
  return { plugins: files.length - problems.length, problems };
}

/** Returns the problems between definitions and their plug-ins: missing files, and options that the plug-in refuses. */
export async function pluginUseProblems(
  sources: readonly Source[],
  sourcesFolder: string,
  folder: string,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const { programOf } = await import('../../definition/collect.ts');
  const [{ definitionIn }, { problemsIn }] = await Promise.all([
    import('../../definition/file.ts'),
    import('../../definition/load-file.ts'),
  ]);
  for (const source of sources) {
    const { id, plugin, options } = source;
    const used = plugin ?? programOf(source)?.file;
    if (used === undefined) continue;
    const file = definitionIn(sourcesFolder, id);
    if (!existsSync(join(folder, used))) {
      const path = plugin === undefined ? ['collect', 'command'] : ['plugin'];
      problems.push(...(await problemsIn(file, [{ path, message: `there is no file "${used}" in ${folder}` }])));
      continue;
    }
    if (plugin === undefined) continue;
    const described = await describePlugin(folder, plugin, options);
    // One that cannot be loaded is told of by itself.
    if (!described.ok) continue;
    const issues = described.shape.optionIssues.map(({ path, message }) => ({ path: ['options', ...path], message }));
    problems.push(...(await problemsIn(file, issues)));
  }
  return problems;
}

/** Returns the problems between pipelines and the plug-ins whose functions they call: missing files. */
export async function callProblems(
  pipelines: Iterable<Pipeline>,
  sourcesFolder: string,
  folder: string,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const [{ definitionIn }, { problemsIn }, { pipelinesName }] = await Promise.all([
    import('../../definition/file.ts'),
    import('../../definition/load-file.ts'),
    import('../../definition/problem.ts'),
  ]);
  for (const { id, jobs } of pipelines)
    for (const [job, { call }] of Object.entries(jobs)) {
      if (call === undefined || existsSync(join(folder, call.plugin))) continue;
      const message = `there is no file "${call.plugin}" in ${folder}`;
      const file = definitionIn(join(dirname(sourcesFolder), pipelinesName), id);
      problems.push(...(await problemsIn(file, [{ path: ['jobs', job, 'call', 'plugin'], message }])));
    }
  return problems;
}

/** Returns the line and column that an error message names; the first of both where it names none. */
function placeIn(message: string): { readonly line: number; readonly column: number } {
  const [, line = '1', column = '1'] = /:(\d+):(\d+)/.exec(message) ?? /\bline (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}

/** The shape of a plug-in, or why the plug-in cannot be loaded. */
type Described = { readonly ok: true; readonly shape: PluginShape } | { readonly ok: false; readonly message: string };

/** Loads a plug-in on a thread of its own, as the daemon does, and returns its shape. */
async function describePlugin(folder: string, name: string, options?: unknown): Promise<Described> {
  const { readPlugin } = await import('../../definition/plugin-file.ts');
  const read = await readPlugin(folder, name);
  if (!read.ok) return read;
  const outcome = await callPluginOnThread({ plugin: read.plugin, function: 'describe', options, input: {} });
  return outcome.ok
    ? { ok: true, shape: outcome.value as PluginShape }
    : { ok: false, message: outcome.failure.message };
}
