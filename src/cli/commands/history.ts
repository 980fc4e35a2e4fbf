import { Command } from 'commander';
import type { HistoryView } from '../../control/methods/project.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText } from '../duration.ts';
import { countOption } from '../options.ts';
import { showChange } from '../show.ts';
import { showStatus } from '../show-status.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

interface Options {
  readonly source?: string;
  readonly type?: string;
  readonly key?: string;
  readonly field?: string;
  readonly limit: number;
}

/** `history`: how a project's records changed. */
export function historyCommand(terminal: Terminal): Command {
  return new Command('history')
    .description("show how a project's records changed, the newest change first")
    .argument('<id>', 'the project')
    .option('-s, --source <id>', 'only changes on this source')
    .option('--type <type>', 'only records of this type')
    .option('--key <key>', 'only the record with this key')
    .option('-f, --field <name>', 'only this field')
    .option('--limit <count>', 'at most so many', countOption, 100)
    .addHelpText('after', examples('heronry history solar', 'heronry history solar --field pledged --json'))
    .action((id: string, { source, type, key, field, limit }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const wanted = {
          id,
          ...(source !== undefined && { source }),
          ...(type !== undefined && { type }),
          ...(key !== undefined && { key }),
          ...(field !== undefined && { field }),
        };
        const changes = await allSlices<HistoryView, number>(limit, async (most, from) => {
          const slice = { ...wanted, limit: most, ...(from !== undefined && { before: from }) };
          const { changes: rows, next } = await client.call('project.history', slice);
          return { rows, next };
        });
        if (changes.length === 0)
          terminal.err(Object.keys(wanted).length > 1 ? `no change of ${id} matches` : `no change of ${id} is known`);
        print(terminal, command, changes, () => showHistory(terminal, changes, field));
      }),
    );
}

function showHistory(terminal: Terminal, changes: readonly HistoryView[], only: string | undefined): string {
  if (changes.length === 0) return '';
  const rows = changes.flatMap((change) => rowsOf(terminal, change, only));
  return table(terminal, ['WHEN', 'RECORD', 'KIND', 'FIELD', 'CHANGE'], rows);
}

/** One row per field; a record that is missing or gone, or that is back as it was, has one without any. */
function rowsOf(
  terminal: Terminal,
  { at, source, type, key, kind, fields }: HistoryView,
  only: string | undefined,
): string[][] {
  const isBack = kind === 'changed' && Object.keys(fields).length === 0;
  const told = isBack ? 'back' : showStatus(terminal, kind);
  const head = [ageText(at, terminal.now()), `${source} ${type} ${plainText(key)}`, told];
  const changes = Object.entries(fields).filter(([name]) => only === undefined || name === only);
  if (changes.length === 0 && only === undefined) return [[...head, '–', '–']];
  return changes.map(([name, change]) => [...head, name, showChange(change)]);
}
