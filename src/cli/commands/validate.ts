import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Problem } from '../../definition/problem.ts';
import { examples, print } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../text.ts';

/** What was looked at, and what is wrong with it. */
interface Validation {
  readonly sources: number;
  readonly projects: number;
  readonly problems: readonly Problem[];
}

/** `validate`: says what is wrong with the files of a folder, without a daemon. */
export function validateCommand(terminal: Terminal): Command {
  return new Command('validate')
    .description(
      'say what is wrong with heronry.yaml, projects.yaml and the sources, with file and line; needs no daemon',
    )
    .argument('[folder]', 'the folder that heronry.yaml stands in', '.')
    .option('--sources <folder>', 'the folder of definitions, if heronry.yaml does not name it')
    .addHelpText(
      'after',
      examples('heronry validate', 'heronry validate watch', 'heronry validate --sources definitions --json'),
    )
    .action(async (folder: string, { sources }: { readonly sources?: string }, command: Command) => {
      const found = await validate(resolve(terminal.cwd, folder), sources && resolve(terminal.cwd, sources));
      print(terminal, command, found, ({ sources, projects, problems }) => {
        if (problems.length > 0) return showProblems(terminal, problems);
        return `${countText(sources, 'source')} and ${countText(projects, 'project')}, no problems`;
      });
      const { length } = found.problems;
      if (length > 0) throw new CommandError(exitStatus.failed, countText(length, 'problem'));
    });
}

async function validate(folder: string, sourcesFolder: string | undefined): Promise<Validation> {
  const { loadDaemon, loadProjects, loadSources } = await import('../../definition/load.ts');
  const problems: Problem[] = [];
  let sources = sourcesFolder ?? resolve(folder, 'sources');
  const daemonFile = resolve(folder, 'heronry.yaml');
  if (existsSync(daemonFile)) {
    const daemon = await loadDaemon(daemonFile);
    if (!daemon.ok) problems.push(...daemon.problems);
    else sources = sourcesFolder ?? resolve(folder, daemon.value.sources);
  }
  const loaded = await loadSources(sources);
  problems.push(...loaded.problems);
  let projects = 0;
  const projectFile = resolve(folder, 'projects.yaml');
  if (existsSync(projectFile)) {
    const list = await loadProjects(projectFile);
    if (list.ok) projects = list.value.length;
    else problems.push(...list.problems);
  }
  return { sources: loaded.sources.length, projects, problems };
}
