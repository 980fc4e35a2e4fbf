import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { examples, globalOptions, helpGroups } from '../cli.ts';
import { countOption, durationOption } from '../options.ts';

interface Options {
  readonly for?: number;
  readonly seed?: number;
}

/** `demo`: runs a daemon on a small web of its own. */
export function createCommand(): Command {
  return new Command('demo')
    .helpGroup(helpGroups.begin)
    .description('run a daemon on a small web of its own and show what it finds; leaves nothing behind')
    .option('--for <duration>', 'stop after this time', durationOption)
    .option('--seed <number>', 'the seed of the small web; the same seed makes the same web', countOption)
    .addHelpText('after', examples('heronry demo', 'heronry demo --for 20s', 'heronry demo --for 1m --seed 7 --json'))
    .action(async ({ for: forMs, seed }: Options, command: Command) => {
      const { runDemo } = await import('../../demo/run.ts');
      const { json } = globalOptions(command);
      process.exitCode = await runDemo(defined({ forMs, seed, json }));
    });
}
