import { Command, Option } from 'commander';
import type { MethodInput, Result } from '../../control/methods.ts';
import type { TurnView } from '../../control/methods/schedule.ts';
import { defined } from '../../defined.ts';
import { examples, globalOptions, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText, clockText } from '../../time-text.ts';
import { countIn, durationOption } from '../options.ts';
import { pausedText } from '../show-why.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText, projectsText } from '../../view/text.ts';

interface Options extends Omit<MethodInput<'schedule.list'>, 'key' | 'before'> {
  readonly host?: string;
  readonly until?: number;
  readonly limit: number;
}

type Answer = Result<'schedule.list'>;

/** The most turns that the daemon puts into one answer. */
const maxTurns = 1_000;

/** `schedule`: shows the coming turns. */
export function createCommand(terminal: Terminal): Command {
  return new Command('schedule')
    .helpGroup(helpGroups.schedule)
    .description('show the coming turns by time or by host, with times in UTC')
    .addOption(new Option('--by <order>', 'the order').choices(['time', 'host']).default('time'))
    .option('--host <key>', 'only turns of this host: its politeness key, or an address on it')
    .option('-s, --source <id>', 'only turns of this source')
    .option('--project <id>', 'only turns of this project')
    .option('--until <duration>', 'only turns within this time from now, such as 6h', durationOption)
    .option('--limit <count>', `the most turns to show, up to ${maxTurns}`, countIn(1, maxTurns), 100)
    .addHelpText(
      'after',
      examples(
        'heronry schedule',
        'heronry schedule --until 6h --by host',
        'heronry schedule --host https://shop.example',
      ),
    )
    .action((options: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const answer = await client.call('schedule.list', asked(options, terminal.now()));
        print(terminal, command, answer, ({ turns }) => showTurns(terminal, turns));
        if (globalOptions(command).json !== true) tell(terminal, answer, options.limit);
      }),
    );
}

/** Prints on the error stream what the answer says besides turns. */
function tell(terminal: Terminal, { turns, more, unloaded = [], paused }: Answer, limit: number): void {
  if (paused !== undefined) terminal.err(pausedText(paused));
  if (turns.length === 0) terminal.err('nothing is to come');
  for (const source of unloaded)
    terminal.err(
      `targets on ${source} are left out: no definition of it is loaded, and nothing is asked until it is back`,
    );
  if (more) terminal.err(moreText(limit));
}

function asked({ host, until, ...wanted }: Options, now: number): MethodInput<'schedule.list'> {
  const origin = host === undefined ? undefined : URL.parse(host)?.origin;
  return {
    ...wanted,
    ...defined({
      key: origin === undefined || origin === 'null' ? host : origin,
      before: until === undefined ? undefined : now + until,
    }),
  };
}

function moreText(limit: number): string {
  return limit === maxTurns
    ? 'more come later'
    : `more come later: --limit ${Math.min(limit * 2, maxTurns)} shows some of them`;
}

function showTurns(terminal: Terminal, turns: readonly TurnView[]): string {
  const now = terminal.now();
  return table(terminal, turns, [
    ['AT', ({ dueAt }) => clockText(dueAt, now)],
    ['IN', ({ dueAt }) => (dueAt <= now ? 'due' : ageText(dueAt, now))],
    ['HOST', ({ key }) => plainText(key)],
    ['SOURCE', ({ source }) => source, { cutTo: 8, spare: true }],
    ['PROJECT', ({ projects }) => projectsText(projects), { cutTo: 12 }],
    ['TARGET', ({ target }) => String(target), { spare: true }],
    ['BY', ({ by, dayOnly }) => (dayOnly ? `${by}, that day` : (by ?? '–')), { spare: true }],
    ['URL', ({ url }) => plainText(url), { cutTo: 24, spare: true }],
  ]);
}
