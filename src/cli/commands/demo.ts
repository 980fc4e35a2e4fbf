import { Command } from 'commander';
import { examples, globalOptions } from '../cli.ts';
import { countOption, durationOption } from '../options.ts';

interface Options {
  readonly for?: number;
  readonly seed?: number;
}

/** `demo`: the whole thing on a small web of its own. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('run a daemon on a small web of its own and show what it finds; leaves nothing behind')
    .option('--for <duration>', 'end by itself after so long', durationOption)
    .option('--seed <number>', 'what the small web is made from; the same seed makes the same web', countOption)
    .addHelpText('after', examples('heronry demo', 'heronry demo --for 20s', 'heronry demo --for 1m --seed 7 --json'))
    .action(async ({ for: forMs, seed }: Options, command: Command) => {
      const { runDemo } = await import('../../demo/run.ts');
      const { json } = globalOptions(command);
      process.exitCode = await runDemo({
        ...(forMs !== undefined && { forMs }),
        ...(seed !== undefined && { seed }),
        ...(json !== undefined && { json }),
      });
    });
}
