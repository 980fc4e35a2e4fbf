import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { examples, globalOptions } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly config?: string;
  readonly data?: string;
  readonly sources?: string;
  readonly apiOnly?: boolean;
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** `start`: runs the daemon in the foreground. */
export function startCommand(terminal: Terminal): Command {
  return new Command('start')
    .description('run the daemon in the foreground, until interrupted or told to stop')
    .option('-c, --config <file>', 'its configuration; by default heronry.yaml in the present folder, if there is one')
    .option('--data <folder>', 'where it keeps its data')
    .option('--sources <folder>', 'the folder of definitions')
    .option('--api-only', 'serve the control methods and ask no site by itself: no scrapes, no pulses')
    .addOption(
      new Option('--log-level <level>', 'from which level on it logs').choices([
        'trace',
        'debug',
        'info',
        'warn',
        'error',
        'fatal',
        'silent',
      ]),
    )
    .addHelpText(
      'after',
      examples('heronry start', 'heronry start --data /srv/heronry --sources definitions', 'heronry start --api-only'),
    )
    .action(async ({ config, data, sources, apiOnly, logLevel }: Options, command: Command) => {
      const { runDaemon } = await import('../../daemon.ts');
      const { socket } = globalOptions(command);
      const file = config ?? (existsSync(resolve(terminal.cwd, 'heronry.yaml')) ? 'heronry.yaml' : undefined);
      process.exitCode = await runDaemon({
        ...(file !== undefined && { config: resolve(terminal.cwd, file) }),
        ...(data !== undefined && { data: resolve(terminal.cwd, data) }),
        ...(socket !== undefined && { socket: resolve(terminal.cwd, socket) }),
        ...(sources !== undefined && { sources: resolve(terminal.cwd, sources) }),
        ...(apiOnly === true && { apiOnly }),
        ...(logLevel && { logLevel }),
      });
    });
}
