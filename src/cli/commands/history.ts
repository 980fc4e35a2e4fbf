import { Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import type { HistoryView } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText } from '../../time-text.ts';
import { limitOption } from '../options.ts';
import { showChange } from '../show.ts';
import { recordTables } from '../record-tables.ts';
import { type Column, table } from '../table.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { isText, plainText } from '../text.ts';

type Options = Omit<MethodInput<'project.history'>, 'id' | 'before' | 'limit'> & { readonly limit?: number };

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
    .option('--limit <count>', 'the most changes to show; by default all', limitOption)
    .addHelpText('after', examples('heronry history solar', 'heronry history solar --field pledged --json'))
    .action((id: string, { limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const changes = await listRows(
          terminal,
          { ...defined({ limit }), noun: 'change' },
          'changes',
          (most, before?: number) =>
            client.call('project.history', { id, ...wanted, limit: most, ...defined({ before }) }),
        );
        if (changes.length === 0)
          terminal.err(Object.keys(wanted).length > 0 ? `no change of ${id} matches` : `no change of ${id} is known`);
        print(terminal, command, changes, () => showHistory(terminal, changes, wanted.field));
      }),
    );
}

function showHistory(terminal: Terminal, changes: readonly HistoryView[], only: string | undefined): string {
  const when: Column<HistoryView> = ['WHEN', ({ at }) => ageText(at, terminal.now())];
  const kind: Column<HistoryView> = ['KIND', (change) => (isBack(change) ? 'back' : showStatus(terminal, change.kind))];
  return recordTables(terminal, changes, {
    noun: 'change',
    before: [when, ['KEY', ({ key }) => plainText(key), { cutTo: 16 }], kind],
    after: [],
    fieldsOf: (change) => fieldsOf(change, only),
    cellOf: ({ fields }, field) => (fields[field] === undefined ? '' : showChange(fields[field])),
    mayCut: ({ fields }, field) => isText(fields[field]?.new) || isText(fields[field]?.old),
    cutTo: 16,
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
        ['CHANGE', ({ field, fields }) => (field === undefined ? '–' : showChange(fields[field])), { cutTo: 16 }],
      ]);
    },
  });
}

/** A field that changed; without a field, a record that is missing, gone or back unchanged. */
type Row = HistoryView & { readonly field?: string };

function fieldsOf({ fields }: HistoryView, only: string | undefined): readonly string[] {
  return Object.keys(fields).filter((name) => only === undefined || name === only);
}

/** Whether a record that was missing or gone was found again with the fields that it had before. */
function isBack({ kind, fields }: HistoryView): boolean {
  return kind === 'changed' && Object.keys(fields).length === 0;
}
