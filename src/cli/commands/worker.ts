import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../defined.ts';
import { examples, helpGroups } from '../cli.ts';
import { configName, projectFolder } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface Options {
  readonly config: string;
  readonly key?: string;
  readonly concurrency?: number;
  readonly logLevel?: (typeof logLevels)[number];
}

/** `worker`: runs a worker process in the foreground. */
export function createCommand(terminal: Terminal): Command {
  return new Command('worker')
    .helpGroup(helpGroups.begin)
    .description('run a worker process, which asks for and reads pages for a daemon, until interrupted')
    .addOption(
      new Option('-c, --config <file>', 'the configuration, which says where steps are taken from').default(
        join(projectFolder(terminal.cwd) ?? terminal.cwd, configName),
        `${configName} of the present folder, or the nearest above it`,
      ),
    )
    .option('--key <file>', 'the key that the daemon has made; by default as the configuration has it')
    .addOption(
      new Option('--concurrency <steps>', 'the number of steps that run at a time; by default 16').argParser(countOf),
    )
    .addOption(new Option('--log-level <level>', 'the lowest level that is logged').choices(logLevels))
    .addHelpText(
      'after',
      examples('heronry worker', 'heronry worker --config /etc/heronry/heronry.yaml --concurrency 64'),
    )
    .action(async ({ config, key, concurrency, logLevel }: Options) => {
      const { runWorker } = await import('../../worker.ts');
      const status = await runWorker({
        config: resolve(terminal.cwd, config),
        ...defined({ key: key && resolve(terminal.cwd, key), concurrency, logLevel }),
      });
      // BullMQ leaves timers behind where the server of the queues is away.
      process.exit(status);
    });
}

function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1) throw new InvalidArgumentError('expected a number from 1 to 9999');
  return count;
}
