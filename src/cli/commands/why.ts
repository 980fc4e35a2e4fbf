import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import { countOption } from '../options.ts';
import { showWhy } from '../show-why.ts';
import type { Terminal } from '../terminal.ts';

/** `why`: when a project is next due, and everything that has a say in it. */
export function whyCommand(terminal: Terminal): Command {
  return new Command('why')
    .description('tell when each target of a project is next due, and each thing that decides it')
    .argument('<id>', 'the project')
    .option('-t, --target <number>', 'this target alone', countOption)
    .addHelpText('after', examples('heronry why solar', 'heronry why solar --target 7 --json'))
    .action((id: string, { target }: { readonly target?: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const why = await client.call('project.why', { id, ...(target !== undefined && { target }) });
        print(terminal, command, why, () => showWhy(terminal, why));
      }),
    );
}
