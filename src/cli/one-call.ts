import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { isAlive } from '../is-alive.ts';
import { callAndPrint, examples, helpGroups, print, withDaemon } from './cli.ts';
import { CommandError } from './exit-status.ts';
import { countOption } from './options.ts';
import type { Terminal } from './terminal.ts';
import { bytesText, countText } from '../view/text.ts';

interface OneTarget {
  readonly target?: number;
}

/**
 * The commands that are little more than one call of the daemon, by name. Every other command is a file in `commands/`. All
 * commands load this file, so that it loads little itself.
 */
export const oneCallCommands: Readonly<Record<string, (terminal: Terminal) => Command>> = {
  release: (terminal) =>
    ofTarget('release', 'let parked targets of a project run again before their time')
      .helpGroup(helpGroups.projects)
      .addHelpText('after', examples('heronry release solar', 'heronry release solar --target 12'))
      .action((id: string, only: OneTarget, command: Command) =>
        callAndPrint(terminal, command, ['project.release', { id, ...only }], () => `released ${id}`),
      ),

  why: (terminal) =>
    ofTarget('why', 'show when each target of a project is next due, and everything that decides it')
      .helpGroup(helpGroups.schedule)
      .addHelpText('after', examples('heronry why solar', 'heronry why solar --target 7 --json'))
      .action(async (id: string, only: OneTarget, command: Command) => {
        const { showWhy } = await import('./show-why.ts');
        await callAndPrint(terminal, command, ['project.why', { id, ...only }], (why) => showWhy(terminal, why));
      }),

  cancel: (terminal) =>
    new Command('cancel')
      .helpGroup(helpGroups.sources)
      .description('end a waiting or running scrape; it writes nothing after that; exits with 1 if it had ended before')
      .argument('<scrape>', 'the number of the scrape', countOption)
      .addHelpText('after', examples('heronry cancel 4711'))
      .action(async (scrape: number, _options: object, command: Command) => {
        const { showScrapeLine } = await import('./show-scrape.ts');
        await withDaemon(terminal, command, async (client) => {
          const { scrape: before } = await client.call('scrape.get', { scrape, limit: 1 });
          const view = await client.call('scrape.cancel', { scrape });
          print(terminal, command, view, () => showScrapeLine(terminal, view));
          if (before.endedAt !== undefined || view.status !== 'cancelled')
            throw new CommandError('failed', `scrape ${scrape} had ended before`);
        });
      }),

  backup: (terminal) =>
    new Command('backup')
      .helpGroup(helpGroups.daemon)
      .description('copy the data to a new folder while the daemon runs; docs/operating.md says how to restore it')
      .argument('<folder>', 'the folder to make')
      .addHelpText('after', examples('heronry backup /srv/backups/today'))
      .action((folder: string, _options: object, command: Command) =>
        callAndPrint(
          terminal,
          command,
          ['daemon.backup', { path: resolve(terminal.cwd, folder) }],
          ({ path, bytes }) => `copied the data to ${path}, ${bytesText(bytes)}`,
        ),
      ),

  dashboard: (terminal) =>
    new Command('dashboard')
      .helpGroup(helpGroups.daemon)
      .description('print an address that logs a browser in, once and within two minutes')
      .option('--log-out', 'end all log-ins of browsers instead')
      .addHelpText('after', examples('heronry dashboard', 'heronry dashboard --log-out'))
      .action(({ logOut }: { readonly logOut?: true }, command: Command) =>
        logOut === true
          ? callAndPrint(terminal, command, ['login.end', {}], ({ logIns }) => `ended ${countText(logIns, 'log-in')}`)
          : callAndPrint(terminal, command, ['login.invite', {}], ({ url }) => url),
      ),

  stop: (terminal) =>
    new Command('stop')
      .helpGroup(helpGroups.daemon)
      .description(
        'stop the daemon in an orderly way, and wait until its process has ended; exits with 1 if it has not within a minute',
      )
      .addHelpText('after', examples('heronry stop'))
      .action((_options: object, command: Command) =>
        withDaemon(terminal, command, async (client) => {
          const result = await client.call('daemon.shutdown', {});
          await client.closed;
          await untilEnded(terminal, result.pid);
          print(terminal, command, result, ({ pid }) => `stopped the daemon, pid ${pid}`);
        }),
      ),
};

/** The longest wait for the end of a daemon's process once it has hung up, in milliseconds, and the time between two looks. */
const endMs = 60_000;
const lookAgainMs = 25;

/** Resolves when a process has ended. Rejects where it runs for a minute more. */
async function untilEnded(terminal: Terminal, pid: number): Promise<void> {
  const since = terminal.now();
  while (isAlive(pid)) {
    if (terminal.now() - since > endMs)
      throw new CommandError('failed', `the daemon has hung up, but its process ${pid} still runs after 1m`);
    await wait(lookAgainMs);
  }
}

function ofTarget(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<id>', 'the project')
    .option('-t, --target <number>', 'only this target', countOption);
}
