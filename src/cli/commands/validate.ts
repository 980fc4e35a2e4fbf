import { resolve } from 'node:path';
import { Command } from 'commander';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import { projectFolder } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

/** `validate`: shows the problems of the files in a folder, without a daemon. */
export function createCommand(terminal: Terminal): Command {
  return new Command('validate')
    .helpGroup(helpGroups.begin)
    .description(
      'show the problems of heronry.yaml, its file of secrets, projects.yaml, the sources, their types, the sinks, the pipelines and the plug-ins, with file and line; needs no daemon; exits with 2 where there are any',
    )
    .argument(
      '[path]',
      'the folder of heronry.yaml, a folder of definitions, or one file; a file with a list is read as projects; by default the present folder, or the nearest above it that has a heronry.yaml',
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
    .action(async (path: string | undefined, { sources }: { readonly sources?: string }, command: Command) => {
      const { validate } = await import('../local/validate.ts');
      const { cwd } = terminal;
      const folder = path === undefined ? (projectFolder(cwd) ?? cwd) : resolve(cwd, path);
      const found = await validate(terminal, folder, sources && resolve(cwd, sources));
      for (const warning of found.warnings) terminal.err(`warning: ${plainText(warning)}`);
      print(terminal, command, found, ({ sources, projects, plugins, sinks, pipelines, problems }) => {
        if (problems.length > 0) return showProblems(terminal, problems);
        const counts = [
          countText(sources, 'source'),
          countText(projects, 'project'),
          ...(plugins > 0 ? [countText(plugins, 'plug-in')] : []),
          ...(sinks > 0 ? [countText(sinks, 'sink')] : []),
          ...(pipelines > 0 ? [countText(pipelines, 'pipeline')] : []),
        ];
        return `${counts.join(' and ')}, no problems`;
      });
      const { length } = found.problems;
      if (length > 0) throw new CommandError('invalid', countText(length, 'problem'));
    });
}
