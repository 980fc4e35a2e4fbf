import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import { showProject } from '../show.ts';
import type { Terminal } from '../terminal.ts';

/** `show`: one project, its targets and what is known of it. */
export function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('show a project: how its targets fare, and what is known with its age')
    .argument('<id>', 'the project')
    .addHelpText('after', examples('heronry show solar', 'heronry show solar --json'))
    .action((id: string, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const [project, { records }] = await Promise.all([
          client.call('project.get', { id }),
          client.call('project.records', { id }),
        ]);
        if (records.length === 0) terminal.err(`nothing is known of ${id} yet`);
        print(terminal, command, { ...project, records }, () => showProject(terminal, project, records));
      }),
    );
}
