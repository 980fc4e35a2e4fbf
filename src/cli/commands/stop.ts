import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

/** `stop`: ends the daemon in order. */
export function stopCommand(terminal: Terminal): Command {
  return new Command('stop')
    .description('end the daemon in order, and wait until it has hung up')
    .addHelpText('after', examples('heronry stop'))
    .action((_options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const result = await client.call('daemon.shutdown', {});
        await client.closed;
        print(terminal, command, result, ({ pid }) => `stopped the daemon, pid ${pid}`);
      }),
    );
}
