import { Command, Option } from 'commander';
import type { Client } from '../../control/client.ts';
import type { RecordView } from '../../view/record.ts';
import { stateOf } from '../../view/record-state.ts';
import { defined } from '../../defined.ts';
import { csvCell, csvRow } from '../../export/csv.ts';
import { examples, helpGroups, print, withClient } from '../cli.ts';

import { CommandError } from '../exit-status.ts';
import { instantOption } from '../options.ts';
import { unknownNames } from '../unknown-names.ts';
import { countText, plainText } from '../../view/text.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly project?: string;
  readonly type?: string;
  readonly where?: string;
  readonly format: 'ndjson' | 'csv' | 'json';
  readonly after?: string;
}

/** Whose records are printed. */
interface Wanted {
  readonly source?: string;
  readonly project?: string;
  /** The type of the records in their source. */
  readonly type?: string;
  /** The type of `types/` that the records say they are, whatever their source. */
  readonly is?: string;
  /** A condition that they meet. */
  readonly where?: string;
}

/** The records that are asked for at once, which is all of them that the command keeps in memory. */
const atOnce = 500;

/** `records`: prints all records of a source, project or type, or removes some. */
export function createCommand(terminal: Terminal): Command {
  return new Command('records')
    .helpGroup(helpGroups.sources)
    .description('print all records of a source, a project or a type, in an order that later scrapes do not change')
    .argument('[source]', 'the source')
    .argument('[type]', 'only records of this type')
    .option('-p, --project <id>', 'the records of this project; with a source, only those on it')
    .option('--type <id>', 'the records of all sources that are of this type, with its fields alone')
    .option('--where <condition>', 'only records whose fields, @, meet it, as in a filter of a JSON path (RFC 9535)')
    .addOption(new Option('--format <format>', 'how').choices(['ndjson', 'csv', 'json']).default('ndjson'))
    .option('--after <place>', 'go on behind what was printed before, by the place that the interrupted command told')
    .addHelpText(
      'after',
      `\nCSV has lists and objects as JSON, and a ' before texts that a spreadsheet would take for a formula. For files, and for what has changed alone: heronry export.\n${examples(
        'heronry records shop > shop.ndjson',
        'heronry records shop product --format csv > products.csv',
        'heronry records --project solar --format json',
        'heronry records --type post --format csv > posts.csv',
        `heronry records shop --where '@.stock > 0 && @.price.amount < 20'`,
        `heronry records shop --where '@.sponsors[?@.country == "DE"]'`,
        'heronry records remove shop product --gone',
      )}`,
    )
    .addCommand(removeCommand(terminal))
    .action((source: string | undefined, type: string | undefined, options: Options, command: Command) => {
      const { project, type: is, where, after } = options;
      // For machines there is one document, as of all commands.
      const format = command.optsWithGlobals<{ json?: boolean }>().json ? 'json' : options.format;
      if (source === undefined && project === undefined && is === undefined)
        throw new CommandError('usage', 'records: expected a source, --project or --type');
      if (is !== undefined && (source !== undefined || project !== undefined))
        throw new CommandError('usage', 'records: --type: expected no source and no project beside it');
      if (format === 'json' && after !== undefined)
        throw new CommandError('usage', 'records: --after: expected --format ndjson or csv beside it');
      return withClient(terminal, command, async (client) => {
        const wanted = defined({ source, project, type, is, where });
        const print = await printers[format](terminal, client, wanted, after !== undefined);
        const printed = await eachSlice(client, wanted, after, print.rows).catch((error: unknown) => {
          if (print.place !== undefined)
            terminal.err(`interrupted: --after ${print.place} goes on behind what was printed`);
          throw error;
        });
        print.end();
        if (printed > 0) return;
        terminal.err('no record matches');
        if (where === undefined) return;
        for (const unknown of await unknownNames(where, await declaredOf(client, wanted))) terminal.err(unknown);
      });
    });
}

interface RemoveOptions {
  readonly gone?: true;
  readonly notSeenSince?: number;
  readonly dryRun?: boolean;
}

function removeCommand(terminal: Terminal): Command {
  return new Command('remove')
    .description('remove records of a source; their history stays, and one that is seen again is a new one')
    .argument('<source>', 'the source')
    .argument('<type>', 'the type of the records')
    .argument('[keys...]', 'their keys')
    .option('--gone', 'instead of keys: those that two complete walks in a row no longer found')
    .option('--not-seen-since <instant>', 'instead of keys: those last seen before an instant in UTC', instantOption)
    .option('--dry-run', 'only tell which')
    .addHelpText(
      'after',
      examples(
        'heronry records remove shop product A-17 A-18',
        'heronry records remove shop product --gone --dry-run',
        'heronry records remove shop product --not-seen-since 2026-03-05T14:00:00Z',
      ),
    )
    .action((source: string, type: string, keys: readonly string[], options: RemoveOptions, command: Command) => {
      const { gone, notSeenSince, dryRun = false } = options;
      if ([keys[0], gone, notSeenSince].filter((given) => given !== undefined).length !== 1)
        throw new CommandError(
          'usage',
          'records remove: expected keys, --gone or --not-seen-since, and one of them only',
        );
      return withClient(terminal, command, async (client) => {
        const removed: string[] = [];
        const asked = { source, type, dryRun, ...defined({ gone, notSeenSince }), ...(keys.length > 0 && { keys }) };
        let after: string | undefined;
        do {
          const slice = await client.call('record.remove', { ...asked, limit: atOnce, ...defined({ after }) });
          removed.push(...slice.removed);
          after = slice.next;
        } while (after !== undefined);
        print(terminal, command, { removed, dryRun }, () =>
          [
            ...removed.map((key) => `${type} ${plainText(key)}`),
            `${countText(removed.length, 'record')} ${dryRun ? 'would be removed' : 'removed'}`,
          ].join('\n'),
        );
      });
    });
}

/** Prints records in one format. */
interface Printer {
  /** The place behind what was printed; missing where the format has no parts. */
  place?: string | undefined;
  rows(records: readonly RecordView[], next: string | undefined): void;
  end(): void;
}

type OpenPrinter = (terminal: Terminal, client: Client, wanted: Wanted, goesOn: boolean) => Promise<Printer>;

const printers: Readonly<Record<Options['format'], OpenPrinter>> = {
  ndjson: async (terminal) => linePrinter(terminal, (record) => JSON.stringify(record)),

  csv: async (terminal, client, wanted, goesOn) => {
    const fields = await columnsOf(client, wanted);
    const own = ['source', 'type', 'key', 'url', 'firstSeenAt', 'updatedAt'] as const;
    // A file has each text as it is; a terminal could be steered by it.
    const rowOf = (cells: readonly string[]) =>
      terminal.columns === undefined ? csvRow(cells) : plainText(csvRow(cells));
    if (!goesOn) terminal.out(rowOf([...own, 'state', ...fields]));
    return linePrinter(terminal, (record) =>
      rowOf([
        ...own.map((name) => csvCell(name.endsWith('At') ? new Date(record[name]).toISOString() : record[name])),
        csvCell(record.absent && stateOf(record)),
        ...Array.from(fields, (name) => csvCell(record.fields[name]?.value)),
      ]),
    );
  },

  json: async (terminal) => {
    let between = '[';
    return {
      rows(records) {
        for (const record of records) {
          terminal.out(between + JSON.stringify(record));
          between = ',';
        }
      },
      end: () => terminal.out(between === '[' ? '[]' : ']'),
    };
  },
};

function linePrinter(terminal: Terminal, lineOf: (record: RecordView) => string): Printer {
  const printer: Printer = {
    rows(records, next) {
      if (records.length > 0) terminal.out(records.map(lineOf).join('\n'));
      printer.place = next;
    },
    end: () => {},
  };
  return printer;
}

/**
 * The names of the fields that have columns: those of the type, else those that any record has, whatever condition is to be met, which takes a look
 * through all of them. They come as their definitions have them, and behind them those that no definition has.
 */
async function columnsOf(client: Client, wanted: Wanted): Promise<Iterable<string>> {
  if (wanted.is !== undefined) return (await client.call('type.records', { id: wanted.is, limit: 1 })).fields;
  const declared = await declaredOf(client, wanted);
  const { where: _where, ...whole } = wanted;
  const found = new Set<string>();
  await eachSlice(client, whole, undefined, (records) => {
    for (const record of records) for (const name of Object.keys(record.fields)) found.add(name);
  });
  const inOrder = declared.map(({ name }) => name).filter((name) => found.has(name));
  return new Set([...inOrder, ...found]);
}

/** Resolves with the fields that definitions declare of the wanted records. */
async function declaredOf(client: Client, { source, type, is }: Wanted) {
  const { tables } = await client.call('export.tables', {});
  const isOf = (each: { readonly source: string; readonly type: string }): boolean =>
    (source ?? each.source) === each.source && (type ?? each.type) === each.type;
  return tables
    .filter(({ id, records }) => (is === undefined ? records.some(isOf) : id === is))
    .flatMap(({ fields }) => fields);
}

/** Asks for all wanted records, slice after slice. Resolves with how many there were. */
async function eachSlice(
  client: Client,
  { source, project, type, is, where }: Wanted,
  from: string | undefined,
  onSlice: Printer['rows'],
): Promise<number> {
  let after = from;
  let count = 0;
  do {
    const part = { limit: atOnce, ...defined({ where, after }) };
    const { records, next } = await (is !== undefined
      ? client.call('type.records', { id: is, ...part })
      : project === undefined
        ? client.call('source.records', { id: source ?? '', ...part, ...defined({ type }) })
        : client.call('project.records', { id: project, ...part, ...defined({ source, type }) }));
    onSlice(records, next);
    count += records.length;
    after = next;
  } while (after !== undefined);
  return count;
}
