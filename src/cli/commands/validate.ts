import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { Loaded } from '../../definition/load.ts';
import type { Problem } from '../../definition/problem.ts';
import type { Projects } from '../../definition/project.ts';
import { examples, print } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Definitions } from '../local/validate-projects.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

const daemonName = 'heronry.yaml';

/** What was looked at, and what is wrong with it. */
interface Validation {
  readonly sources: number;
  readonly projects: number;
  readonly plugins: number;
  readonly problems: readonly Problem[];
  /** What is no problem and may have been forgotten. */
  readonly warnings: readonly string[];
}

/** `validate`: says what is wrong with the files of a folder, without a daemon. */
export function validateCommand(terminal: Terminal): Command {
  return new Command('validate')
    .description(
      'say what is wrong with heronry.yaml, projects.yaml, the sources and the plug-ins, with file and line; needs no daemon',
    )
    .argument(
      '[path]',
      'the folder that heronry.yaml stands in, a folder of definitions, or one file: a list is of projects',
      '.',
    )
    .option('--sources <folder>', 'the folder of definitions, if heronry.yaml does not name it')
    .addHelpText(
      'after',
      examples(
        'heronry validate',
        'heronry validate sources/shop.yaml',
        'heronry validate --sources definitions --json',
      ),
    )
    .action(async (path: string, { sources }: { readonly sources?: string }, command: Command) => {
      const found = await validate(terminal, resolve(terminal.cwd, path), sources && resolve(terminal.cwd, sources));
      for (const warning of found.warnings) terminal.err(`warning: ${plainText(warning)}`);
      print(terminal, command, found, ({ sources, projects, plugins, problems }) => {
        if (problems.length > 0) return showProblems(terminal, problems);
        const also = plugins > 0 ? ` and ${countText(plugins, 'plug-in')}` : '';
        return `${countText(sources, 'source')} and ${countText(projects, 'project')}${also}, no problems`;
      });
      const { length } = found.problems;
      if (length > 0) throw new CommandError(exitStatus.failed, countText(length, 'problem'));
    });
}

/** Validates what a person names: the folder of heronry.yaml, a folder of definitions, or one file. */
async function validate(terminal: Terminal, path: string, sourcesFolder: string | undefined): Promise<Validation> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(exitStatus.notFound, `${path}: no such file or folder`);
  return stats.isDirectory() ? validateFolder(terminal, path, sourcesFolder) : validateFile(path);
}

async function validateFile(file: string): Promise<Validation> {
  if (/\.m?[jt]s$/.test(file)) return validatePlugin(file);
  const { isList, loadDaemon, loadSource } = await import('../../definition/load.ts');
  const name = basename(file);
  if (name === daemonName) return of('daemon', await loadDaemon(file));
  if (/^projects\b/.test(name) || (await isList(file))) return validateProjects(file);
  return of('source', await loadSource(file));

  function of(what: 'daemon' | 'source', loaded: Loaded<unknown>): Validation {
    return {
      sources: what === 'source' && loaded.ok ? 1 : 0,
      projects: 0,
      plugins: 0,
      problems: loaded.ok ? [] : loaded.problems,
      warnings: [],
    };
  }
}

/** A list of projects by itself; which sources there are is not known. */
async function validateProjects(file: string): Promise<Validation> {
  const { listed, problems } = await listedIn(file);
  return { sources: 0, projects: listed.length, plugins: 0, problems, warnings: [] };
}

/** The projects of a file, none where it cannot be read, and what is wrong with them. */
async function listedIn(
  file: string,
  definitions?: Definitions,
): Promise<{ readonly listed: Projects; readonly problems: readonly Problem[] }> {
  const [{ loadProjects }, { projectProblems }] = await Promise.all([
    import('../../definition/load.ts'),
    import('../local/validate-projects.ts'),
  ]);
  const loaded = await loadProjects(file);
  if (!loaded.ok) return { listed: [], problems: loaded.problems };
  return { listed: loaded.value, problems: await projectProblems(file, loaded.value, definitions) };
}

/** One plug-in by itself. */
async function validatePlugin(file: string): Promise<Validation> {
  const { validatePlugins } = await import('../local/validate-plugins.ts');
  const found = await validatePlugins(dirname(file), basename(file));
  return { sources: 0, projects: 0, ...found, warnings: [] };
}

async function validateFolder(
  terminal: Terminal,
  folder: string,
  sourcesFolder: string | undefined,
): Promise<Validation> {
  const { loadDaemon, loadSources } = await import('../../definition/load.ts');
  const problems: Problem[] = [];
  const [daemonFile, projectFile] = [resolve(folder, daemonName), resolve(folder, 'projects.yaml')];
  let sources = sourcesFolder ?? definitionsIn(folder);
  let pluginsNamed: string | undefined;
  if (existsSync(daemonFile)) {
    const daemon = await loadDaemon(daemonFile);
    if (!daemon.ok) problems.push(...daemon.problems);
    else {
      sources = sourcesFolder ?? resolve(folder, daemon.value.sources);
      pluginsNamed = daemon.value.plugins;
    }
  }
  if (sources === undefined && !existsSync(daemonFile) && !existsSync(projectFile)) {
    throw new CommandError(
      exitStatus.notFound,
      `${folder}: nothing to validate: expected heronry.yaml, projects.yaml, a folder "sources" or definitions there`,
    );
  }
  const loaded = sources === undefined ? { sources: [], problems: [] } : await loadSources(sources);
  problems.push(...loaded.problems);
  let listed: Projects = [];
  if (existsSync(projectFile)) {
    const found = await listedIn(projectFile, sources === undefined ? undefined : { ...loaded, folder: sources });
    listed = found.listed;
    problems.push(...found.problems);
  }
  const [{ pluginsFolder, pluginUseProblems, validatePlugins }, { fixtureWarnings }] = await Promise.all([
    import('../local/validate-plugins.ts'),
    import('../local/validate-fixtures.ts'),
  ]);
  const pluginFolder = pluginsFolder(folder, pluginsNamed, sources);
  const { plugins, problems: faults } = await validatePlugins(pluginFolder);
  problems.push(...faults);
  if (sources !== undefined) problems.push(...(await pluginUseProblems(loaded.sources, sources, pluginFolder)));
  const ids = loaded.sources.map(({ id }) => id);
  const { objectiveWarnings } = await import('../local/validate-objectives.ts');
  const warnings = [
    ...fixtureWarnings(resolve(folder, 'fixtures'), ids, terminal.cwd),
    ...(await objectiveWarnings(loaded.sources, listed)),
  ];
  return { sources: loaded.sources.length, projects: listed.length, plugins, problems, warnings };
}

/** The folder of definitions in a folder, or that folder itself when it holds some and nothing else that is known. */
function definitionsIn(folder: string): string | undefined {
  const inner = resolve(folder, 'sources');
  if (existsSync(inner)) return inner;
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const isOfDefinitions = names.length > 0 && !names.some((name) => name === daemonName || name === 'projects.yaml');
  return isOfDefinitions ? folder : undefined;
}
