import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { pausedWhat, pauseText } from '../../view/pause.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { durationOption, personOption } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { userName } from '../user-name.ts';

interface Options {
  readonly source?: string;
  readonly host?: string;
  readonly for?: number;
  readonly reason?: string;
  readonly as?: string;
}

/** `pause`: has nothing asked of a source, of a host, or at all. */
export function createCommand(terminal: Terminal): Command {
  return new Command('pause')
    .helpGroup(helpGroups.schedule)
    .description('ask nothing of a source, of a host, or of any, until it is resumed; requests under way come back')
    .option('--source <source>', 'only for this source')
    .option('--host <key>', 'only this host, by its politeness key')
    .option('--for <duration>', 'only for some time', durationOption)
    .option('--reason <text>', 'why, for those who see it')
    .option('--as <name>', 'who does it; default: your name on this machine', personOption)
    .addHelpText(
      'after',
      examples(
        'heronry pause',
        "heronry pause --source shop --for 2h --reason 'the site moves'",
        'heronry pause --host https://shop.example',
        'heronry resume --source shop',
      ),
    )
    .action(({ source, host, for: forMs, reason, as = userName() }: Options, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['schedule.pause', { by: as, ...defined({ source, host, forMs, reason }) }],
        (pause) => `${pausedWhat(pause)} is ${pauseText(pause, terminal.now())}`,
      ),
    );
}
