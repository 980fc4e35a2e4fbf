import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { pausedWhat, pauseText } from '../../view/pause.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { personOption } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { userName } from '../user-name.ts';

interface Options {
  readonly source?: string;
  readonly host?: string;
  readonly as?: string;
}

/** `resume`: ends what `pause` began. */
export function createCommand(terminal: Terminal): Command {
  return new Command('resume')
    .helpGroup(helpGroups.schedule)
    .description('end the pause of a source, of a host, or of everything; what is due takes its turns')
    .option('--source <source>', 'of this source')
    .option('--host <key>', 'of this host')
    .option('--as <name>', 'who does it; default: your name on this machine', personOption)
    .addHelpText('after', examples('heronry resume', 'heronry resume --source shop'))
    .action(({ source, host, as = userName() }: Options, command: Command) => {
      const scope = defined({ source, host });
      return callAndPrint(terminal, command, ['schedule.resume', { by: as, ...scope }], ({ resumed, pauses }) => {
        for (const pause of pauses) terminal.err(`still: ${pausedWhat(pause)} is ${pauseText(pause, terminal.now())}`);
        return `${pausedWhat(scope)} ${resumed ? 'is resumed' : 'was not paused'}`;
      });
    });
}
