import { Command, Option } from 'commander';
import type { Result } from '../../control/methods.ts';
import type { TurnView } from '../../control/methods/schedule.ts';
import { examples, globalOptions, print, withDaemon } from '../cli.ts';
import { ageText } from '../duration.ts';
import { countIn, durationOption } from '../options.ts';
import { clockText, pausedText } from '../show-why.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

interface Options {
  readonly by: 'time' | 'host';
  readonly host?: string;
  readonly source?: string;
  readonly project?: string;
  readonly until?: number;
  readonly limit: number;
}

type Answer = Result<'schedule.list'>;

/** The most turns that a daemon tells in one answer. */
const maxTurns = 1_000;

/** `schedule`: the turns that are to come. */
export function scheduleCommand(terminal: Terminal): Command {
  return new Command('schedule')
    .description('show the turns that are to come, by time or by host; times are those of UTC')
    .addOption(new Option('--by <order>', 'in which order').choices(['time', 'host']).default('time'))
    .option('--host <key>', 'those of this host alone: its politeness key, or an URL on it')
    .option('-s, --source <id>', 'those of this source alone')
    .option('--project <id>', 'those of this project alone')
    .option('--until <duration>', 'no later than so much from now, such as 6h', durationOption)
    .option('--limit <count>', `at most so many, up to ${maxTurns}`, countIn(1, maxTurns), 100)
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

/** Says what of the answer is no turn. */
function tell(terminal: Terminal, { turns, more, unloaded = [], paused }: Answer, limit: number): void {
  if (paused !== undefined) terminal.err(pausedText(paused));
  if (turns.length === 0) terminal.err('nothing is to come');
  for (const source of unloaded)
    terminal.err(
      `targets on ${source} are left out: no definition of it is loaded, and nothing is asked until it is back`,
    );
  if (more) terminal.err(moreText(limit));
}

function asked({ by, host, source, project, until, limit }: Options, now: number) {
  const origin = host === undefined ? undefined : URL.parse(host)?.origin;
  return {
    by,
    limit,
    ...(host !== undefined && { key: origin === undefined || origin === 'null' ? host : origin }),
    ...(source !== undefined && { source }),
    ...(project !== undefined && { project }),
    ...(until !== undefined && { before: now + until }),
  };
}

function moreText(limit: number): string {
  return limit === maxTurns
    ? 'more come later'
    : `more come later: --limit ${Math.min(limit * 2, maxTurns)} shows some of them`;
}

function showTurns(terminal: Terminal, turns: readonly TurnView[]): string {
  const now = terminal.now();
  const rows = turns.map(({ dueAt, dayOnly, target, project, source, key, by, url }) => [
    clockText(dueAt, now),
    dueAt <= now ? 'due' : ageText(dueAt, now),
    plainText(key),
    source,
    project,
    String(target),
    dayOnly ? `${by}, that day` : (by ?? '–'),
    plainText(url),
  ]);
  return table(terminal, ['AT', 'IN', 'HOST', 'SOURCE', 'PROJECT', 'TARGET', 'BY', 'URL'], rows);
}
