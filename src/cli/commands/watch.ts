import { Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withClient } from '../cli.ts';
import { countOption, repeatedOption } from '../options.ts';
import { showEvent } from '../show-event.ts';
import type { Terminal } from '../terminal.ts';

type Options = Omit<MethodInput<'event.subscribe'>, 'types' | 'scrape'> & { readonly type?: readonly string[] };

/** `watch`: shows events as they happen. */
export function createCommand(terminal: Terminal): Command {
  return new Command('watch')
    .helpGroup(helpGroups.daemon)
    .description('show events as they happen, until interrupted')
    .option('-a, --after <id>', 'begin with the event after this one; 0 for the oldest one kept', countOption)
    .option('-p, --project <id>', 'only events of this project')
    .option('-s, --source <id>', 'only events of this source')
    .option(
      '-t, --type <type>',
      'only events of this type, such as record.changed or scrape.*; may be repeated',
      repeatedOption,
    )
    .addHelpText(
      'after',
      examples('heronry watch', 'heronry watch --project solar --type "record.*"', 'heronry watch --after 4711 --json'),
    )
    .action(({ type, ...wanted }: Options, command: Command) =>
      withClient(terminal, command, async (client) => {
        const { project, source } = wanted;
        // Of a mistyped name no event would ever come.
        if (project !== undefined) await client.call('project.get', { id: project });
        if (source !== undefined) await client.call('source.get', { id: source });
        const asked = { ...wanted, ...defined({ types: type }) };
        await client.subscribe(
          asked,
          (event) => print(terminal, command, event, () => showEvent(terminal, event)),
          (upTo) => terminal.err(`events up to ${upTo} are kept no longer: those not shown above are lost`),
        );
        const ended = await client.closed;
        if (ended) throw ended;
      }),
    );
}
