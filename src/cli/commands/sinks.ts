import { Command } from 'commander';
import type { DeliveryView, SinkView, StuckView } from '../../control/methods/sink.ts';
import type { Result } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { ageText, durationText } from '../../time-text.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { instantOption, limitOption } from '../options.ts';
import { factLines, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

/** `sinks`: lists the sinks, shows one, tries it, and sends again what it had. */
export function createCommand(terminal: Terminal): Command {
  return new Command('sinks')
    .alias('sink')
    .helpGroup(helpGroups.sources)
    .description('list the sinks and how far each is, or show the newest deliveries of one and what failed')
    .argument('[id]', 'the sink to show')
    .option('--limit <count>', 'the most deliveries to show', limitOption, 20)
    .addHelpText(
      'after',
      examples(
        'heronry sinks',
        'heronry sinks team',
        'heronry sink test team',
        'heronry sink replay team --since 2026-03-14',
        'heronry sink replay team --dead',
        'heronry sink sync warehouse --type product',
      ),
    )
    .addCommand(testCommand(terminal))
    .addCommand(replayCommand(terminal))
    .addCommand(syncCommand(terminal))
    .action((id: string | undefined, { limit }: { readonly limit: number }, command: Command) => {
      return withDaemon(terminal, command, async (client) => {
        if (id !== undefined) {
          let rest: Omit<Result<'sink.get'>, 'deliveries' | 'next'> | undefined;
          const listed = { limit, noun: 'attempt' };
          const deliveries = await listRows(terminal, listed, 'deliveries', async (most, before?: number) => {
            const {
              deliveries: some,
              next,
              ...more
            } = await client.call('sink.get', {
              id,
              limit: most,
              ...defined({ before }),
            });
            rest ??= more;
            return { deliveries: some, next };
          });
          if (rest !== undefined)
            print(terminal, command, { ...rest, deliveries }, (found) => showSink(terminal, found));
          return;
        }
        const { sinks } = await client.call('sink.list', {});
        if (sinks.length === 0)
          terminal.err('no sinks: write a file in the folder `sinks`, then `heronry sources --reload`');
        print(terminal, command, sinks, () => showSinks(terminal, sinks));
      });
    });
}

function testCommand(terminal: Terminal): Command {
  return new Command('test')
    .description('send a sample message to a sink and show what came of it; exits with 1 if it was not delivered')
    .argument('<id>', 'the sink')
    .addHelpText('after', examples('heronry sink test team'))
    .action((id: string, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const result = await client.call('sink.test', { id });
        const { ok, ms, status, failure } = result;
        print(terminal, command, result, () =>
          ok ? `delivered to ${id} in ${durationText(ms)}${status === undefined ? '' : `, status ${status}`}` : '',
        );
        if (!ok) throw new CommandError('failed', `${id}: ${plainText(failure?.message ?? 'not delivered')}`);
      }),
    );
}

interface ReplayOptions {
  readonly from?: string;
  readonly since?: number;
  readonly dead?: true;
}

function replayCommand(terminal: Terminal): Command {
  return new Command('replay')
    .description('tell a sink events again that are still kept, or try its dead letters again')
    .argument('<id>', 'the sink')
    .option('--from <id>', 'from the event of this id on, as the sink had it')
    .option('--since <instant>', 'from this instant on, in UTC', instantOption)
    .option('--dead', 'only its dead letters')
    .addHelpText(
      'after',
      examples(
        'heronry sink replay team --since 2026-03-14T09:00:00Z',
        'heronry sink replay team --from k3f9Qz-1042',
        'heronry sink replay team --dead',
      ),
    )
    .action((id: string, { from, since, dead }: ReplayOptions, command: Command) => {
      const given = defined({ from, since, dead });
      if (Object.keys(given).length !== 1)
        throw new CommandError('usage', 'sink replay: expected one of --from, --since and --dead');
      return callAndPrint(terminal, command, ['sink.replay', { id, ...given }], (replayed) =>
        replayed.messages === undefined
          ? `${id} is told again what it wants of ${countText(replayed.events ?? 0, 'event')}`
          : `${countText(replayed.messages, 'dead letter')} of ${id} ${replayed.messages === 1 ? 'is' : 'are'} tried again`,
      );
    });
}

function syncCommand(terminal: Terminal): Command {
  return new Command('sync')
    .description('tell a sink every record of a type as it is now, once')
    .argument('<id>', 'the sink')
    .requiredOption('--type <type>', 'the type of the records')
    .addHelpText('after', examples('heronry sink sync warehouse --type product'))
    .action((id: string, { type }: { readonly type: string }, command: Command) =>
      callAndPrint(terminal, command, ['sink.sync', { id, type }], () => `${id} is told all records of type ${type}`),
    );
}

function showSinks(terminal: Terminal, sinks: readonly SinkView[]): string {
  return table(terminal, sinks, [
    ['SINK', ({ id }) => id],
    ['KIND', ({ kind }) => kind],
    ['STATE', (sink) => stateText(terminal, sink)],
    ['BEHIND', ({ behind }) => String(behind)],
    ['PARKED', ({ parked }) => String(parked)],
    ['DEAD', ({ dead }) => String(dead)],
    ['LAST DELIVERY', ({ last }) => (last === undefined ? '–' : lastText(terminal, last)), { cutTo: 24 }],
  ]);
}

function stateText(terminal: Terminal, { state, quietUntil, syncing }: SinkView): string {
  if (state === 'down') return 'down';
  if (quietUntil !== undefined) return `quiet, tried again ${ageText(quietUntil, terminal.now())}`;
  return syncing === undefined ? 'running' : `tells all of ${syncing}`;
}

function lastText(terminal: Terminal, last: DeliveryView): string {
  return `${ageText(last.at, terminal.now())}: ${outcomeText(last)}`;
}

function outcomeText({ status, failure, messages }: DeliveryView): string {
  if (failure !== undefined) return plainText(failure.message);
  const delivered = status === undefined ? 'delivered' : `status ${status}`;
  return messages === undefined ? delivered : `${delivered}, ${countText(messages, 'message')}`;
}

function showSink(
  terminal: Terminal,
  { sink, deliveries, parked, dead, cut = [] }: Omit<Result<'sink.get'>, 'next'>,
): string {
  const stuck = (
    title: string,
    [list, rows]: readonly ['parked' | 'dead', readonly StuckView[]],
    when: (row: StuckView) => string,
  ): string[] =>
    rows.length === 0
      ? []
      : [
          '',
          title,
          table(terminal, rows, [
            ['ID', ({ id }) => id],
            ['KEY', ({ key }) => plainText(key), { cutTo: 16 }],
            ['TYPE', ({ type }) => type],
            ['ATTEMPTS', ({ attempts }) => String(attempts)],
            ['WHEN', when],
            ['WHY', ({ failure }) => plainText(failure?.message ?? '–'), { cutTo: 16 }],
          ]),
          ...(cut.includes(list) ? [`… and more than these ${countText(rows.length, 'message')}`] : []),
        ];
  return [
    terminal.paint('bold', sink.id),
    ...factLines([
      ['kind', sink.kind],
      ['state', stateText(terminal, sink)],
      ['events', sink.events.join(', ')],
      ['behind', countText(sink.behind, 'event')],
      ['parked', sink.parked > 0 ? countText(sink.parked, 'message') : undefined],
      ['dead', sink.dead > 0 ? countText(sink.dead, 'message') : undefined],
    ]),
    ...(deliveries.length === 0
      ? []
      : [
          '',
          table(terminal, deliveries, [
            ['WHEN', ({ at }) => ageText(at, terminal.now())],
            ['ID', ({ id }) => id],
            ['KEY', ({ key }) => plainText(key), { cutTo: 16 }],
            ['TYPE', ({ type }) => type],
            ['ATTEMPT', ({ attempt }) => String(attempt)],
            ['TOOK', ({ ms }) => durationText(ms)],
            ['OUTCOME', outcomeText, { cutTo: 16 }],
          ]),
        ]),
    ...stuck('tried again:', ['parked', parked], ({ nextAt }) => ageText(nextAt, terminal.now())),
    ...stuck('dead letters:', ['dead', dead], ({ nextAt }) => ageText(nextAt, terminal.now())),
  ].join('\n');
}
