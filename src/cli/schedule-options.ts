import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MethodInput } from '../control/methods.ts';
import { defined } from '../defined.ts';
import { shortestMs } from '../time-text.ts';
import { CommandError } from './exit-status.ts';
import { durationLike, intervalOption } from './options.ts';

type Target = MethodInput<'project.add'>['targets'][number];
type PaceInput = Partial<Target>;

/** An option that chooses a pace. */
interface PaceOption {
  readonly flags: string;
  readonly text: string;
  /** The option's value as a control method's input. Throws an `InvalidArgumentError`. */
  parse?(text: string): PaceInput;
  /** The control method's input where the option is given without a value. */
  readonly bare?: PaceInput;
  /** The input by the clocks of a zone. Missing where the pace has no zone. */
  inZone?(input: PaceInput, zone: string): PaceInput;
}

/** All paces by the names of their options, in the order in which refusals name them. To add a pace, add its option to this list. */
const paces = {
  every: {
    flags: '-e, --every <duration>',
    text: 'how often to scrape it, such as 15m or 4h',
    parse: (text) => ({ everyMs: intervalOption(text) }),
  },
  cron: {
    flags: '--cron <pattern>',
    text: 'when to scrape it: minute, hour, day, month and weekday, such as "0 6 * * 1"',
    parse: (cron) => ({ cron }),
    inZone: (input, zone) => ({ ...input, zone }),
  },
  tokens: {
    flags: '--tokens',
    text: 'scrape it the more often the more there is to find, up to three times a day',
    bare: { tokens: true },
    inZone: (_, zone) => ({ tokens: { zone } }),
  },
  continuous: {
    flags: '--continuous [sleep]',
    text: 'scrape it again and again, so long after each end; by default 1h',
    parse: (text) => ({ continuous: { sleepMs: sleepMs(text) } }),
    bare: { continuous: true },
  },
  objective: {
    flags: '--objective <ages>',
    text: 'as often as this freshness needs: the age that is warned of, or warn,error such as 4h,6h',
    parse: (text) => ({ objective: ages(text) }),
  },
} satisfies Record<string, PaceOption>;
const paceOptions = Object.entries<PaceOption>(paces);
const zoned = paceOptions.filter(([, { inZone }]) => inZone !== undefined);

/** The options that say when to scrape, as the command line hands them over; `true` for one without a value. */
export type ScheduleOptions = { readonly [N in keyof typeof paces]?: PaceInput | true } & { readonly zone?: string };

/** Adds the options that say when to scrape. */
export function withScheduleOptions(command: Command): Command {
  for (const [, { flags, text, parse }] of paceOptions) {
    const option = new Option(flags, text);
    command.addOption(parse === undefined ? option : option.argParser(parse));
  }
  return command.option(
    '--zone <zone>',
    `by whose clocks ${names(zoned, ' and ')} go, such as Europe/Berlin; by default UTC`,
  );
}

/** The options as a control method's input. Throws a `CommandError` for two paces at once, or a zone without a pace that has one. */
export function paceInput(command: string, { zone, ...given }: ScheduleOptions): PaceInput {
  const [first, second] = Object.entries<PaceInput | true | undefined>(given).filter(
    ([, value]) => value !== undefined,
  );
  if (second !== undefined)
    throw new CommandError(
      'usage',
      `${command}: expected one of ${names(paceOptions, ', ')}, got --${second[0]} beside --${first?.[0]}`,
    );
  const option = paceOptions.find(([name]) => name === first?.[0])?.[1];
  if (zone !== undefined && option?.inZone === undefined)
    throw new CommandError('usage', `${command}: --zone: expected ${names(zoned, ' or ')} beside it`);
  const input = first?.[1] === true ? option?.bare : first?.[1];
  return zone === undefined ? (input ?? {}) : (option?.inZone?.(input ?? {}, zone) ?? {});
}

function names(options: readonly (readonly [name: string, ...unknown[]])[], between: string): string {
  return options.map(([name]) => `--${name}`).join(between);
}

function sleepMs(text: string): number {
  if (text === '0s') return 0;
  const ms = durationLike(text, '0s, 90s, 15m, 6h or 1d');
  if (ms < shortestMs) throw new InvalidArgumentError('Expected 0s or a duration of 1s at least.');
  return ms;
}

/** `4h` or `4h,6h`. */
function ages(text: string): { readonly warnAfterMs: number; readonly errorAfterMs?: number } {
  const parts = text.split(',').map((each) => each.trim());
  if (parts.length > 2 || !parts.every((each) => /^[1-9]\d*[a-z]+$/.test(each)))
    throw new InvalidArgumentError('Expected one or two durations such as 4h or 4h,6h.');
  const [warnAfterMs = 0, errorAfterMs] = parts.map(intervalOption);
  if (errorAfterMs !== undefined && warnAfterMs >= errorAfterMs)
    throw new InvalidArgumentError('Expected a warning before the error, such as 4h,6h.');
  return { warnAfterMs, ...defined({ errorAfterMs }) };
}
