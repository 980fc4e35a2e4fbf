import type { Command } from 'commander';
import { examples } from '../cli.ts';
import { changeProjects, ofProjects } from '../selection.ts';
import type { Terminal } from '../terminal.ts';

/** `restore`: tracks archived projects again. */
export function createCommand(terminal: Terminal): Command {
  return ofProjects('restore', 'track archived projects again')
    .addHelpText('after', examples('heronry restore solar', 'heronry restore --label spring --yes'))
    .action((ids: readonly string[], _options: object, command: Command) =>
      changeProjects(terminal, command, ids, {
        verbs: ['restore', 'restored'],
        among: ['archived'],
        run: (client, id) => client.call('project.restore', { id }),
        show: (_, id) => (id === undefined ? 'restored' : `restored ${id}`),
      }),
    );
}
