import { Command, Option } from 'commander';
import type { MethodInput, Result } from '../../control/methods.ts';
import type { HistoryView } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import { examples, globalOptions, helpGroups, listRows, moreText, print, withDaemon } from '../cli.ts';
import { ageText } from '../../time-text.ts';
import { instantOption, limitOption } from '../options.ts';
import { scrapeText, showChange } from '../show-change.ts';
import { cutChange } from '../cut-change.ts';
import { recordTables } from '../record-tables.ts';
import { type Column, table } from '../table.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { isText, plainText } from '../../view/text.ts';

type Wanted = Omit<MethodInput<'project.history'>, 'id' | 'before' | 'limit' | 'rules'>;
type Told = Result<'project.history'>['changes'][number];
interface Options extends Wanted {
  readonly limit?: number;
  readonly pages?: boolean;
  readonly rules?: boolean;
  readonly format: 'table' | 'ndjson';
}

/** `history`: shows how a project's records changed. */
export function createCommand(terminal: Terminal): Command {
  return new Command('history')
    .helpGroup(helpGroups.projects)
    .description("show how a project's records changed, the newest change first")
    .argument('<id>', 'the project')
    .option('-s, --source <id>', 'only changes on this source')
    .option('--type <type>', 'only records of this type')
    .option('--key <key>', 'only the record with this key')
    .option('-f, --field <name>', 'only this field')
    .option('--since <instant>', 'only changes that were observed from an instant in UTC on', instantOption)
    .option('--until <instant>', 'only changes that were observed before an instant in UTC', instantOption)
    .option('--pages', 'show the page that each change was read from; `page` shows it')
    .option('--rules', 'show by which rule of the definition each value was read')
    .option('--limit <count>', 'the most changes to show; by default all', limitOption)
    .addOption(
      new Option('--format <format>', 'how; ndjson is one change a line, printed as they come')
        .choices(['table', 'ndjson'])
        .default('table'),
    )
    .addHelpText(
      'after',
      examples(
        'heronry history solar',
        'heronry history solar --field pledged --rules --pages',
        'heronry history shop --type product --key A-17 --field price --since 2026-03-01',
        'heronry history shop --since 2026-03-05 --until 2026-03-06 --format ndjson > day.ndjson',
      ),
    )
    .action((id: string, { limit, format, pages = false, rules = false, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const request = (most: number, before?: string) =>
          client.call('project.history', { id, ...wanted, rules, limit: most, ...defined({ before }) });
        const isStreamed = format === 'ndjson' && globalOptions(command).json !== true;
        const none = Object.keys(wanted).length > 0 ? `no change of ${id} matches` : `no change of ${id} is known`;
        if (isStreamed) {
          if ((await printLines(terminal, request, limit)) === 0) terminal.err(none);
          return;
        }
        const changes = await listRows(terminal, { ...defined({ limit }), noun: 'change' }, 'changes', request);
        if (changes.length === 0) terminal.err(none);
        print(terminal, command, changes, () => showHistory(terminal, changes, { only: wanted.field, pages, rules }));
      }),
    );
}

/** The narrowest that a column of changes of texts is cut to: some words of the old text and of the new one have room. */
const changeTo = 24;

/** The changes that are asked for at once, which is all of them that stay in memory. */
const atOnce = 500;

/** Prints changes as lines of JSON, as they come. Says on the error stream where a limit leaves some out. Resolves with their number. */
async function printLines(
  terminal: Terminal,
  request: (most: number, before?: string) => Promise<Result<'project.history'>>,
  limit = Infinity,
): Promise<number> {
  let printed = 0;
  let before: string | undefined;
  do {
    // One more than is printed tells whether any is left out.
    const { changes, next } = await request(Math.min(limit + 1 - printed, atOnce), before);
    const shown = changes.slice(0, limit - printed);
    if (shown.length > 0) terminal.out(shown.map((change) => JSON.stringify(change)).join('\n'));
    printed += shown.length;
    if (shown.length < changes.length) terminal.err(moreText(limit, 'change'));
    before = shown.length < changes.length ? undefined : next;
  } while (before !== undefined);
  return printed;
}

function showHistory(
  terminal: Terminal,
  changes: readonly Told[],
  { only, pages, rules }: { readonly only: string | undefined; readonly pages: boolean; readonly rules: boolean },
): string {
  const page: Column<Told>[] = pages ? [['PAGE', (change) => change.page ?? '–']] : [];
  const when: Column<Told> = ['WHEN', ({ at }) => ageText(at, terminal.now())];
  const rule: Column<Row>[] = rules
    ? [['RULE', ({ field = '', rules: of }) => plainText(of?.[field] ?? '–'), { cutTo: 16 }]]
    : [];
  const kind: Column<Told> = ['KIND', (change) => showStatus(terminal, kindOf(change))];
  const how: Parameters<typeof recordTables<Told>>[2] = {
    noun: 'change',
    before: [when, ['KEY', ({ key }) => plainText(key), { cutTo: 16 }], kind],
    after: [['SCRAPE', scrapeText], ...page],
    fieldsOf: (change) => fieldsOf(change, only),
    cellOf: ({ fields }, field) => (fields[field] === undefined ? '' : showChange(terminal, fields[field])),
    mayCut: ({ fields }, field) => isText(fields[field]?.new) || isText(fields[field]?.old),
    cut: ({ fields }, field, room) => cutChange(terminal, fields[field], room),
    cutTo: changeTo,
    byField(changes) {
      const rows = changes.flatMap((change): Row[] => {
        const names = fieldsOf(change, only);
        return names.length === 0 && only === undefined ? [change] : names.map((field) => ({ ...change, field }));
      });
      return table(terminal, rows, [
        when,
        ['RECORD', ({ source, type, key }) => `${source} ${type} ${plainText(key)}`, { cutTo: 16 }],
        kind,
        ['FIELD', ({ field = '–' }) => field],
        [
          'CHANGE',
          ({ field, fields }) => (field === undefined ? '–' : showChange(terminal, fields[field])),
          { cutTo: changeTo, cut: ({ field = '', fields }, room) => cutChange(terminal, fields[field], room) },
        ],
        ['SCRAPE', scrapeText],
        ...page,
        ...rule,
      ]);
    },
  };
  // A rule is of one field.
  return rules ? how.byField(changes) : recordTables(terminal, changes, how);
}

/** A field that changed; without a field, a record that is missing, gone or back unchanged. */
type Row = Told & { readonly field?: string };

function fieldsOf({ fields }: HistoryView, only: string | undefined): readonly string[] {
  return Object.keys(fields).filter((name) => only === undefined || name === only);
}

/** `corrected` for what a kept page said when it was read again; `recalled` for what takes a change back that is not believed any more; `back` for a record that was missing or gone and is as it was before. */
function kindOf({
  kind,
  corrects,
  isRecall,
  fields,
}: HistoryView): HistoryView['kind'] | 'corrected' | 'recalled' | 'back' {
  if (isRecall === true) return 'recalled';
  if (corrects !== undefined) return 'corrected';
  return kind === 'changed' && Object.keys(fields).length === 0 ? 'back' : kind;
}
