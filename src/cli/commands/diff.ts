import { Command } from 'commander';
import type { RecordDifference } from '../../view/record.ts';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import { examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { instantOption, limitOption } from '../options.ts';
import { scrapeText, showChange } from '../show-change.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

interface Options {
  readonly from: number;
  readonly to?: number;
  readonly source?: string;
  readonly type?: string;
  readonly key?: string;
  readonly limit?: number;
}

/** `diff`: shows by what a project's records differ between two instants. */
export function createCommand(terminal: Terminal): Command {
  return new Command('diff')
    .helpGroup(helpGroups.projects)
    .description("show by what a project's records differ between two instants, field by field, texts word by word")
    .argument('<id>', 'the project')
    .requiredOption('--from <instant>', 'the earlier instant, in UTC', instantOption)
    .option('--to <instant>', 'the later instant; by default now', instantOption)
    .option('-s, --source <id>', 'only records of this source')
    .option('--type <type>', 'only records of this type')
    .option('--key <key>', 'only the record with this key')
    .option('--limit <count>', 'the most records to show; by default all', limitOption)
    .addHelpText(
      'after',
      examples(
        'heronry diff solar --from 2026-03-01',
        'heronry diff shop --from 2026-03-05 --to 2026-03-06T12:00:00Z --type product --json',
      ),
    )
    .action((id: string, { limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const differences = await listRows(
          terminal,
          { ...defined({ limit }), noun: 'record' },
          'differences',
          (most, after?: string) => client.call('project.diff', { id, ...wanted, limit: most, ...defined({ after }) }),
        );
        if (differences.length === 0) terminal.err(`no record of ${id} differs`);
        print(terminal, command, differences, () =>
          differences.map((difference) => showDifference(terminal, difference)).join('\n'),
        );
      }),
    );
}

function showDifference(terminal: Terminal, { source, type, key, kind, fields }: RecordDifference): string {
  const changed = Object.entries(fields);
  const state = kind === 'changed' && changed.length === 0 ? 'back' : showStatus(terminal, kind);
  const lines = changed.map(
    ([name, { by, ...change }]) =>
      `  ${plainText(name)}: ${showChange(terminal, change, 0)}  ${terminal.paint('dim', `${ageText(by.at, terminal.now())}, ${by.scrape > 0 ? 'scrape ' : ''}${scrapeText(by)}`)}`,
  );
  return [`${source} ${type} ${plainText(key)}: ${state}`, ...lines].join('\n');
}
