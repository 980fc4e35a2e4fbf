import { Argument, Command } from 'commander';
import type { Asked } from '../../control/methods.ts';
import type { Settings } from '../../control/methods/settings.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationMs, durationText, longestMs } from '../duration.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** Names for people, who write durations with their unit, and the names of the protocol. */
const durations = { 'initial-delay': 'initialDelayMs', every: 'everyMs', 'time-limit': 'timeLimitMs' } as const;
const names = [...Object.keys(durations), 'log-level'];

/** `settings`: what may be changed while the daemon runs. */
export function settingsCommand(terminal: Terminal): Command {
  const get = new Command('get')
    .description('show the settings in force')
    .addArgument(new Argument('[name]', 'only this').choices(names))
    .addHelpText('after', examples('heronry settings get', 'heronry settings get every'))
    .action((name: string | undefined, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const settings = await client.call('settings.get', {});
        print(terminal, command, settings, () => showSettings(terminal, settings, name));
      }),
    );
  const set = new Command('set')
    .description('change a setting; it counts at once for what is not yet due and outlives a restart')
    .addArgument(new Argument('<name>', 'which').choices(names))
    .argument('<value>', 'a duration such as 15m; a level such as debug')
    // So that a value with a minus is taken for a wrong value, not for an option.
    .allowUnknownOption()
    .addHelpText(
      'after',
      '\ntime-limit is the longest that a page of a scrape may take, with its redirects, log-ins and tries.',
    )
    .addHelpText('after', examples('heronry settings set every 2h', 'heronry settings set log-level debug'))
    .action((name: string, value: string, _options: object, command: Command) => {
      const change = readChange(name, value);
      return withDaemon(terminal, command, async (client) => {
        const settings = await client.call('settings.set', change);
        print(terminal, command, settings, () => showSettings(terminal, settings, undefined));
      });
    });
  return new Command('settings')
    .description('show or change what may be changed while the daemon runs')
    .addCommand(get, { isDefault: true })
    .addCommand(set)
    .addHelpText('after', examples('heronry settings', 'heronry settings set every 2h'));
}

function readChange(name: string, value: string): Asked<'settings.set'> {
  // The daemon knows which levels there are, and says so.
  if (!isDuration(name)) return { logLevel: value as Settings['logLevel'] };
  const ms = durationMs(value) ?? (value === '0s' && name === 'initial-delay' ? 0 : undefined);
  const wanted = ms !== undefined && ms > longestMs ? 'of 366d at most' : 'such as 15m';
  if (ms !== undefined && ms <= longestMs) return { [durations[name]]: ms };
  throw new CommandError(exitStatus.usage, `settings: ${name}: expected a duration ${wanted}, got "${value}"`);
}

function isDuration(name: string): name is keyof typeof durations {
  return Object.hasOwn(durations, name);
}

function showSettings(terminal: Terminal, settings: Settings, only: string | undefined): string {
  const rows = [
    ...Object.entries(durations).map(([name, key]) => [name, durationText(settings[key])]),
    ['log-level', settings.logLevel],
  ].filter(([name]) => only === undefined || name === only);
  return only === undefined ? table(terminal, ['SETTING', 'VALUE'], rows) : rows.map(([, value]) => value).join('');
}
