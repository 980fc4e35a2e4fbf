import { Command } from 'commander';
import type { EntityView } from '../../control/methods/type.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { limitOption } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText, valueText } from '../../view/text.ts';

/** `entities`: shows which records of a type are one thing. */
export function createCommand(terminal: Terminal): Command {
  return new Command('entities')
    .helpGroup(helpGroups.sources)
    .description('show which records of a type are one thing, by the fields that its file links them by')
    .argument('<type>', 'the type')
    .argument('[source]', 'with a key: show all records that are one thing with this one, field by field')
    .argument('[key]', 'the key of the record')
    .option('--limit <count>', 'the most entities to list', limitOption, 100)
    .addHelpText('after', examples('heronry entities product', 'heronry entities product shop A-17'))
    .action(
      (
        id: string,
        source: string | undefined,
        key: string | undefined,
        { limit }: { readonly limit: number },
        command: Command,
      ) => {
        if (source !== undefined && key === undefined)
          throw new CommandError('usage', `entities: expected the key of a record of ${source}`);
        return withDaemon(terminal, command, async (client) => {
          let [alone, isLinking] = [0, false];
          const entities = await listRows(
            terminal,
            { limit, noun: 'thing' },
            'entities',
            async (most, after?: string) => {
              const answer = await client.call('type.entities', {
                id,
                limit: most,
                ...defined({ source, key, after }),
              });
              alone += answer.tooLarge ?? 0;
              isLinking ||= answer.linking === true;
              return answer;
            },
          );
          if (isLinking) terminal.err('records are being linked: some may be missing');
          if (alone > 0) terminal.err(`${countText(alone, 'record')} left out: too many would be one thing`);
          print(terminal, command, entities, () =>
            key === undefined
              ? showList(terminal, entities)
              : entities.map((entity) => showEntity(terminal, entity)).join('\n\n'),
          );
        });
      },
    );
}

/** Formats entities as a table, one a row. */
function showList(terminal: Terminal, entities: readonly EntityView[]): string {
  return table(terminal, entities, [
    ['RECORDS', ({ records }) => String(records.length)],
    [
      'SOURCE AND KEY',
      ({ records }) => records.map(({ source, key }) => plainText(`${source} ${key}`)).join(', '),
      { cutTo: 24 },
    ],
  ]);
}

/** Formats the records of an entity field by field, each value with its source. */
function showEntity(terminal: Terminal, { records, tooCommon = [], tooLarge }: EntityView): string {
  const fields = [...new Set(records.flatMap((record) => Object.keys(record.fields)))];
  const cells = fields.flatMap((field) => records.map((record) => ({ field, record, cell: record.fields[field] })));
  const common = tooCommon.map((values) => {
    const told = Object.entries(values).map(([name, text]) => `${name} "${plainText(text)}"`);
    return `not linked by ${told.join(' and ')}, which too many records have`;
  });
  return [
    table(
      terminal,
      cells.filter(({ cell }) => cell !== undefined),
      [
        ['FIELD', ({ field }) => plainText(field)],
        ['VALUE', ({ cell }) => valueText(cell?.value), { cutTo: 16 }],
        ['SOURCE', ({ record }) => record.source],
        ['KEY', ({ record }) => plainText(record.key), { cutTo: 12 }],
      ],
    ),
    ...common,
    ...(tooLarge === true ? ['linked to no other record, as too many would be one thing'] : []),
  ].join('\n');
}
