import type { Command } from 'commander';
import { examples } from '../cli.ts';
import { changeProjects, ofProjects } from '../selection.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../../view/text.ts';

interface Options {
  readonly records?: boolean;
  readonly dryRun?: boolean;
}

/** `delete`: removes projects. */
export function createCommand(terminal: Terminal): Command {
  return ofProjects('delete', 'remove projects, archived or not, and those of their targets that nobody else watches')
    .option(
      '--records',
      'remove also the records and the history of these targets, which stay with the source otherwise',
    )
    .addHelpText(
      'after',
      examples(
        'heronry delete solar --dry-run',
        'heronry delete solar --records',
        "heronry delete --match 'trial-*' --records --yes",
      ),
    )
    .action((ids: readonly string[], { records = false, dryRun = false }: Options, command: Command) =>
      changeProjects(terminal, command, ids, {
        verbs: ['delete', 'deleted'],
        among: 'all',
        asks: true,
        tellsDryRun: true,
        run: (client, id) => client.call('project.delete', { id, records, dryRun }),
        show(result, id) {
          const seen = `${countText(result.records, 'record')}${records ? '' : ' that stay'}`;
          const told = `${countText(result.targets.length, 'target')} and ${seen}`;
          return id === undefined ? told : `${dryRun ? 'would delete' : 'deleted'} ${id}: ${told}`;
        },
      }),
    );
}
