import { Command, Option } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { limitOption } from '../options.ts';
import { filesTable } from '../show-files.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../../view/text.ts';

interface Options extends Pick<MethodInput<'file.list'>, 'state'> {
  readonly limit: number;
}

const states = ['waiting', 'stored', 'failed', 'expired'];

/** `files`: lists the files that records name, and has those fetched again that were given up. */
export function createCommand(terminal: Terminal): Command {
  return new Command('files')
    .helpGroup(helpGroups.sources)
    .description('list the images, PDFs and other files that records name, and whether they are kept')
    .argument('[source]', 'only those of this source')
    .addOption(new Option('--state <state>', 'only those that are').choices(states))
    .option('--limit <count>', 'the most files to list', limitOption, 100)
    .addHelpText(
      'after',
      examples(
        'heronry files shop',
        'heronry files --state failed',
        'heronry files retry shop',
        'heronry files --json',
      ),
    )
    .addCommand(retryCommand(terminal))
    .action((source: string | undefined, { state, limit }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const files = await listRows(terminal, { limit, noun: 'file' }, 'files', (most, after?: string) =>
          client.call('file.list', { limit: most, ...defined({ source, state, after }) }),
        );
        if (files.length === 0) terminal.err('no record names such a file');
        print(terminal, command, files, () => filesTable(terminal, files));
      }),
    );
}

function retryCommand(terminal: Terminal): Command {
  return new Command('retry')
    .description('have files fetched that were given up or have expired, within a minute')
    .argument('<source>', 'the source')
    .argument('[url]', 'only the file at this address')
    .addHelpText('after', examples('heronry files retry shop', 'heronry files retry shop https://shop.example/a.png'))
    .action((source: string, url: string | undefined, _options: object, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['file.retry', { source, ...defined({ url }) }],
        ({ files }) => `${countText(files, 'file')} to be fetched again`,
      ),
    );
}
