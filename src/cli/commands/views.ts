import { Command, Option } from 'commander';
import { plainText } from '../../view/text.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly add?: string;
  readonly search?: string;
  readonly remove?: string;
}

/** `views`: lists, saves and removes the saved views of the owner of the daemon. */
export function createCommand(terminal: Terminal): Command {
  return new Command('views')
    .helpGroup(helpGroups.projects)
    .description('list your saved views, which are searches of projects under a name; save or remove one')
    .option('--add <name>', 'save the search of --search under this name')
    .option('--search <query>', 'a search as `list --search` takes it')
    .addOption(new Option('--remove <name>', 'remove the view of this name').conflicts(['add', 'search']))
    .addHelpText(
      'after',
      examples(
        'heronry views',
        'heronry views --add late --search "source:shop state:late"',
        'heronry views --remove late',
      ),
    )
    .action(({ add, search, remove }: Options, command: Command) => {
      if ((add === undefined) !== (search === undefined))
        throw new CommandError('usage', 'expected both --add and --search, or neither');
      if (add !== undefined && search !== undefined)
        return callAndPrint(
          terminal,
          command,
          ['view.add', { name: add, query: search }],
          ({ name }) => `saved ${plainText(name)}`,
        );
      if (remove !== undefined)
        return callAndPrint(terminal, command, ['view.delete', { view: remove }], () => `removed ${plainText(remove)}`);
      return callAndPrint(terminal, command, ['view.list', {}], ({ views }) =>
        table(terminal, views, [
          ['NAME', ({ name }) => plainText(name)],
          ['SEARCH', ({ query }) => plainText(query)],
        ]),
      );
    });
}
