import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

/** `archive`: stops tracking projects. */
export function archiveCommand(terminal: Terminal): Command {
  return new Command('archive')
    .description('stop tracking projects; what is known of them stays readable')
    .argument('<id...>', 'the projects')
    .addHelpText('after', examples('heronry archive solar', 'heronry archive solar lunar'))
    .action((ids: string[], _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        for (const id of ids) {
          const project = await client.call('project.archive', { id });
          print(terminal, command, project, () => `archived ${id}`);
        }
      }),
    );
}
