import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

/** `restore`: tracks archived projects again. */
export function restoreCommand(terminal: Terminal): Command {
  return new Command('restore')
    .description('track archived projects again')
    .argument('<id...>', 'the projects')
    .addHelpText('after', examples('heronry restore solar'))
    .action((ids: string[], _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        for (const id of ids) {
          const project = await client.call('project.restore', { id });
          print(terminal, command, project, () => `restored ${id}`);
        }
      }),
    );
}
