import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import { countOption } from '../options.ts';
import type { Terminal } from '../terminal.ts';

/** `release`: lets parked targets run again. */
export function releaseCommand(terminal: Terminal): Command {
  return new Command('release')
    .description('let parked targets of a project run again before their time')
    .argument('<id>', 'the project')
    .option('-t, --target <number>', 'only this target', countOption)
    .addHelpText('after', examples('heronry release solar', 'heronry release solar --target 12'))
    .action((id: string, { target }: { readonly target?: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const project = await client.call('project.release', { id, ...(target !== undefined && { target }) });
        print(terminal, command, project, () => `released ${id}`);
      }),
    );
}
