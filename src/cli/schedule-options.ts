import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Asked } from '../control/methods.ts';
import { shortestMs } from './duration.ts';
import { CommandError, exitStatus } from './exit-status.ts';
import { durationLike, intervalOption } from './options.ts';

/** What of the command line says when to scrape. */
export interface ScheduleOptions {
  readonly every?: number;
  readonly cron?: string;
  readonly tokens?: boolean;
  readonly continuous?: number | true;
  readonly objective?: Ages;
  readonly zone?: string;
}

interface Ages {
  readonly warnAfterMs?: number;
  readonly errorAfterMs?: number;
}

type Target = Asked<'project.add'>['targets'][number];

/** Adds the options that say when to scrape. */
export function withScheduleOptions(command: Command): Command {
  return command
    .option('-e, --every <duration>', 'how often to scrape it, such as 15m or 4h', intervalOption)
    .option('--cron <pattern>', 'when to scrape it: minute, hour, day, month and weekday, such as "0 6 * * 1"')
    .option('--tokens', 'scrape it the more often the more there is to find, up to three times a day')
    .option('--continuous [sleep]', 'scrape it again and again, so long after each end; by default 1h', sleepOption)
    .option(
      '--objective <ages>',
      'as often as this freshness needs: the age that is warned of, or warn,error such as 4h,6h',
      objectiveOption,
    )
    .option('--zone <zone>', 'by whose clocks --cron and --tokens go, such as Europe/Berlin; by default UTC');
}

/** What the options say, in the words of the control methods. */
export function scheduleOf(
  command: string,
  { every, cron, tokens, continuous, objective, zone }: ScheduleOptions,
): Partial<Target> {
  const given = { every, cron, tokens, continuous, objective };
  const [first, second] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (second !== undefined)
    throw new CommandError(
      exitStatus.usage,
      `${command}: expected one of --every, --cron, --tokens, --continuous, --objective, got ${second} beside ${first}`,
    );
  if (zone !== undefined && cron === undefined && tokens === undefined)
    throw new CommandError(exitStatus.usage, `${command}: --zone: expected --cron or --tokens beside it`);
  return {
    ...(every !== undefined && { everyMs: every }),
    ...(cron !== undefined && { cron, ...(zone !== undefined && { zone }) }),
    ...(tokens === true && { tokens: zone === undefined ? true : { zone } }),
    ...(continuous !== undefined && { continuous: continuous === true ? true : { sleepMs: continuous } }),
    ...(objective !== undefined && { objective }),
  };
}

function sleepOption(text: string): number {
  if (text === '0s') return 0;
  const ms = durationLike(text, '0s, 90s, 15m, 6h or 1d');
  if (ms < shortestMs) throw new InvalidArgumentError('Expected 0s or a duration of 1s at least.');
  return ms;
}

/** `4h` or `4h,6h`. */
function objectiveOption(text: string): Ages {
  const parts = text.split(',').map((each) => each.trim());
  if (parts.length > 2 || !parts.every((each) => /^[1-9]\d*[a-z]+$/.test(each)))
    throw new InvalidArgumentError('Expected one or two durations such as 4h or 4h,6h.');
  const [warnAfterMs = 0, errorAfterMs] = parts.map(intervalOption);
  if (errorAfterMs !== undefined && warnAfterMs >= errorAfterMs)
    throw new InvalidArgumentError('Expected a warning before the error, such as 4h,6h.');
  return { warnAfterMs, ...(errorAfterMs !== undefined && { errorAfterMs }) };
}
