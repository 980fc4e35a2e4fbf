import { Command } from 'commander';
import { countText } from '../../view/text.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';

/** `viewed`: notes that the owner of the daemon has viewed the changes of projects. */
export function createCommand(terminal: Terminal): Command {
  return new Command('viewed')
    .helpGroup(helpGroups.projects)
    .description('note that you have viewed the changes of projects; `list --search changes:unviewed` lists the others')
    .argument('[ids...]', 'the projects')
    .option('--search <query>', 'all projects that this search finds, as `list --search` takes it')
    .addHelpText(
      'after',
      examples('heronry viewed solar lunar', 'heronry viewed --search "label:acme changes:unviewed"'),
    )
    .action((ids: readonly string[], { search }: { readonly search?: string }, command: Command) => {
      if ((ids.length === 0) === (search === undefined)) throw new CommandError('usage', 'expected ids or --search');
      return callAndPrint(
        terminal,
        command,
        ['viewing.add', search === undefined ? { ids } : { query: search }],
        ({ projects }) => `${countText(projects, 'project')} had changes that you had not viewed`,
      );
    });
}
