import { Argument, Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import type { Settings } from '../../control/methods/daemon.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { durationMs, durationText, longestMs } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** The settings that are durations: their names on the command line and in the protocol. */
const durations = { 'initial-delay': 'initialDelayMs', every: 'everyMs', 'time-limit': 'timeLimitMs' } as const;
const names = [...Object.keys(durations), 'log-level'];

/** `settings`: shows or changes what may be changed while the daemon runs. */
export function createCommand(terminal: Terminal): Command {
  const get = new Command('get')
    .description('show the settings in force')
    .addArgument(new Argument('[name]', 'only this').choices(names))
    .addHelpText('after', examples('heronry settings get', 'heronry settings get every'))
    .action((name: string | undefined, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['settings.get', {}], (settings) => showSettings(terminal, settings, name)),
    );
  const set = new Command('set')
    .description('change a setting at once, for whatever is not yet due; it is kept over a restart')
    .addArgument(new Argument('<name>', 'which').choices(names))
    .argument('<value>', 'a duration such as 15m; a level such as debug')
    // So that a value with a minus is taken for a wrong value, not for an option.
    .allowUnknownOption()
    .addHelpText(
      'after',
      '\ntime-limit is the longest that a page of a scrape may take, with its redirects, log-ins and tries.',
    )
    .addHelpText('after', examples('heronry settings set every 2h', 'heronry settings set log-level debug'))
    .action((name: string, value: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['settings.set', readChange(name, value)], (settings) =>
        showSettings(terminal, settings, undefined),
      ),
    );
  return new Command('settings')
    .helpGroup(helpGroups.daemon)
    .description('show or change what may be changed while the daemon runs')
    .addCommand(get, { isDefault: true })
    .addCommand(set)
    .addHelpText('after', examples('heronry settings', 'heronry settings set every 2h'));
}

function readChange(name: string, value: string): MethodInput<'settings.set'> {
  // The daemon knows which levels there are, and says so.
  if (!isDuration(name)) return { logLevel: value as Settings['logLevel'] };
  const ms = durationMs(value) ?? (value === '0s' && name === 'initial-delay' ? 0 : undefined);
  const wanted = ms !== undefined && ms > longestMs ? 'of 366d at most' : 'such as 15m';
  if (ms !== undefined && ms <= longestMs) return { [durations[name]]: ms };
  throw new CommandError('usage', `settings: ${name}: expected a duration ${wanted}, got "${value}"`);
}

function isDuration(name: string): name is keyof typeof durations {
  return Object.hasOwn(durations, name);
}

function showSettings(terminal: Terminal, settings: Settings, only: string | undefined): string {
  const all = [
    ...Object.entries(durations).map(([name, key]) => ({ name, value: durationText(settings[key]) })),
    { name: 'log-level', value: settings.logLevel },
  ];
  if (only !== undefined) return all.find(({ name }) => name === only)?.value ?? '';
  return table(terminal, all, [
    ['SETTING', ({ name }) => name],
    ['VALUE', ({ value }) => value],
  ]);
}
