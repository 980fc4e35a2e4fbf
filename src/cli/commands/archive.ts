import type { Command } from 'commander';
import { examples } from '../cli.ts';
import { changeProjects, ofProjects } from '../selection.ts';
import type { Terminal } from '../terminal.ts';

/** `archive`: stops tracking projects. */
export function createCommand(terminal: Terminal): Command {
  return ofProjects('archive', 'stop tracking projects; their records stay readable')
    .addHelpText(
      'after',
      examples(
        'heronry archive solar lunar',
        'heronry archive --label spring --dry-run',
        "heronry archive --match 'shop-*' --yes",
      ),
    )
    .action((ids: readonly string[], _options: object, command: Command) =>
      changeProjects(terminal, command, ids, {
        verbs: ['archive', 'archived'],
        among: 'not archived',
        run: (client, id) => client.call('project.archive', { id }),
        show: (_, id) => (id === undefined ? 'archived' : `archived ${id}`),
      }),
    );
}
