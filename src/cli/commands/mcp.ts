import { Command, Option } from 'commander';
import type { Client } from '../../control/client.ts';
import type { McpDeps } from '../../mcp/server.ts';
import { examples, helpGroups, withClient } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly role: 'read' | 'author' | 'operate';
}

/** `mcp`: serves the daemon to a language model, by the Model Context Protocol on the standard streams. */
export function createCommand(terminal: Terminal): Command {
  return new Command('mcp')
    .helpGroup(helpGroups.daemon)
    .description(
      'serve the daemon to a language model (Model Context Protocol on standard input and output); docs/mcp.md',
    )
    .addOption(
      new Option(
        '--role <role>',
        'what the model may do: read to look, author to work on tickets, operate to change what is tracked',
      )
        .choices(['read', 'author', 'operate'])
        .default('read'),
    )
    .addHelpText('after', examples('heronry mcp --socket /srv/watch/data/control.sock', 'heronry mcp --role author'))
    .action(async ({ role }: Options, command: Command) => {
      const [{ serveMcp }, { systemClock }, { ownVersion }] = await Promise.all([
        import('../../mcp/server.ts'),
        import('../../clock.ts'),
        import('../../own-package.ts'),
      ]);
      const version = ownVersion();
      // A connection for each call: it ends with the call, and a daemon that was away is found again.
      const call: McpDeps['call'] = async (method, params, signal) => {
        let result: unknown;
        const ask = async (client: Client): Promise<void> => {
          result = await client.callUnchecked(method, params);
        };
        await withClient(terminal, command, ask, signal);
        return result;
      };
      await serveMcp(process.stdin, {
        clock: systemClock(),
        version,
        role,
        call,
        write: (lines) => void process.stdout.write(lines),
      });
    });
}
