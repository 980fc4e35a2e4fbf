import { Command } from 'commander';
import type { HeldTogether, HeldView } from '../../control/methods/held.ts';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { countOption, limitOption } from '../options.ts';
import { cutChange } from '../cut-change.ts';
import { showChange } from '../show-change.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

/** `held`: lists what is not believed and so not published, releases it or rejects it. */
export function createCommand(terminal: Terminal): Command {
  return new Command('held')
    .helpGroup(helpGroups.sources)
    .description('list values that are not believed, and not published until they are released')
    .argument('[source]', 'only those of this source')
    .option('--limit <count>', 'the most values to list', limitOption, 100)
    .addHelpText(
      'after',
      examples(
        'heronry held',
        'heronry held shop --json',
        'heronry held release shop A-17',
        'heronry held reject shop --field price',
        'heronry held release shop --all',
      ),
    )
    .addCommand(decideCommand(terminal, 'release', 'publish what is held of a source as the changes that it was'))
    .addCommand(decideCommand(terminal, 'reject', 'forget what is held of a source; the current values stay'))
    .action((source: string | undefined, { limit }: { readonly limit: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const together: HeldTogether[] = [];
        const listed = { limit, noun: 'value' };
        const values = await listRows<'values', HeldView, string>(terminal, listed, 'values', async (most, after) => {
          const slice = await client.call('held.list', { limit: most, ...defined({ source, after }) });
          together.push(...slice.together);
          return slice;
        });
        if (together.length + values.length === 0) terminal.err('nothing is held');
        print(terminal, command, { together, values }, () =>
          [showTogether(terminal, together), showValues(terminal, values)].filter((part) => part !== '').join('\n\n'),
        );
      }),
    );
}

type Options = Omit<MethodInput<'held.release'>, 'source' | 'key'>;

function decideCommand(terminal: Terminal, verb: 'release' | 'reject', description: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<source>', 'the source')
    .argument('[key]', 'only of the records with this key')
    .option('--type <type>', 'only of records of this type')
    .option('-f, --field <name>', 'only values of this field')
    .option('-t, --target <number>', 'only of this target', countOption)
    .option('--all', 'all that is held of the source')
    .addHelpText('after', examples(`heronry held ${verb} shop A-17`, `heronry held ${verb} shop --field price`))
    .action((source: string, key: string | undefined, options: Options, command: Command) => {
      const { all, type, field, target } = options;
      const isSome = [key, type, field, target].some((given) => given !== undefined);
      if (isSome === (all === true))
        throw new CommandError('usage', `held ${verb}: expected a key, --type, --field or --target, or --all alone`);
      const wanted = { source, ...defined({ key, type, field, target, all }) };
      return callAndPrint(terminal, command, [`held.${verb}`, wanted], ({ values, missing }) =>
        [
          `${verb === 'release' ? 'released' : 'rejected'} ${countText(values, 'value')}`,
          ...(missing > 0 ? [countText(missing, 'missing record')] : []),
        ].join(' and '),
      );
    });
}

function showTogether(terminal: Terminal, together: readonly HeldTogether[]): string {
  return together
    .map(({ kind, source, target, type = '', field = '', since, count, ticket }) => {
      const what = {
        missing: 'were not found any more',
        empty: `of type ${type} became empty in ${field}`,
        unusual: `of type ${type} have unusual values in ${field}`,
      }[kind];
      const where = target === undefined ? source : `${source}, target ${target}`;
      const why = ticket === undefined ? '' : `, ticket ${ticket}`;
      return `${where}: ${countText(count, 'record')} ${what}${why}, ${ageText(since, terminal.now())}`;
    })
    .join('\n');
}

function showValues(terminal: Terminal, values: readonly HeldView[]): string {
  return table(terminal, values, [
    ['RECORD', ({ source, type, key }) => `${source} ${type} ${plainText(key)}`, { cutTo: 16 }],
    ['FIELD', ({ field }) => field],
    [
      'HELD',
      (value) => showChange(terminal, value),
      { cutTo: 16, cut: (value, room) => cutChange(terminal, value, room) },
    ],
    ['KIND', ({ kind, ticket }) => (ticket === undefined ? kind : `${kind}, ticket ${ticket}`)],
    ['SINCE', ({ observedAt }) => ageText(observedAt, terminal.now())],
    ['SEEN', ({ seenAt }) => ageText(seenAt, terminal.now()), { spare: true }],
  ]);
}
