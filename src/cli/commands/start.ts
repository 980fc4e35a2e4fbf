import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { defined } from '../../defined.ts';
import { examples, globalOptions, helpGroups } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface Options {
  readonly config?: string;
  readonly data?: string;
  readonly sources?: string;
  readonly apiOnly?: boolean;
  readonly logLevel?: (typeof logLevels)[number];
}

/** `start`: runs the daemon in the foreground. */
export function createCommand(terminal: Terminal): Command {
  return new Command('start')
    .helpGroup(helpGroups.begin)
    .description('run the daemon in the foreground, until interrupted or told to stop')
    .option('-c, --config <file>', 'the configuration; by default heronry.yaml in the present folder, if there is one')
    .option('--data <folder>', 'the folder of its data')
    .option('--sources <folder>', 'the folder of definitions')
    .option('--api-only', 'only serve the control methods: no scrapes, no pulses')
    .addOption(new Option('--log-level <level>', 'the lowest level that is logged').choices(logLevels))
    .addHelpText(
      'after',
      examples('heronry start', 'heronry start --data /srv/heronry --sources definitions', 'heronry start --api-only'),
    )
    .action(async ({ config, data, sources, apiOnly, logLevel }: Options, command: Command) => {
      const [{ isTaken }, { startPlace }, { tellStarting }] = await Promise.all([
        import('../../definition/file.ts'),
        import('../socket.ts'),
        import('../starting.ts'),
      ]);
      const { socket } = globalOptions(command);
      const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(terminal.cwd, path));
      const file = config ?? (isTaken(resolve(terminal.cwd, 'heronry.yaml')) ? 'heronry.yaml' : undefined);
      const places = defined({ socket: absolute(socket), data: absolute(data) });
      // Before all that takes long to load, so that a command which is run at once finds it.
      const listens = tellStarting(await startPlace(terminal, absolute(file), places));
      const { runDaemon } = await import('../../daemon.ts');
      process.exitCode = await runDaemon(
        defined({
          ...places,
          listens,
          config: absolute(file),
          sources: absolute(sources),
          apiOnly,
          logLevel,
        }),
      );
    });
}
