import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import type { AuditView } from '../../view/audit.ts';
import { examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { instantOption, limitOption } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

interface Options {
  readonly who?: string;
  readonly method?: string;
  readonly since?: number;
  readonly limit: number;
}

/** `audit`: lists what callers changed and were denied. */
export function createCommand(terminal: Terminal): Command {
  return new Command('audit')
    .helpGroup(helpGroups.daemon)
    .description(
      'list the changes that callers made or tried to make, and the calls that were denied, the newest first',
    )
    .option('--who <token>', 'only those of the token with this id or label; local for the command line')
    .option('--method <name>', 'only those of this method, such as project.archive')
    .option('--since <instant>', 'only those since this instant of UTC, such as 2016-03-05', instantOption)
    .option('--limit <count>', 'the most entries to list', limitOption, 50)
    .addHelpText('after', examples('heronry audit', 'heronry audit --who deploy --since 2016-03-05 --json'))
    .action(({ limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const entries = await listRows(terminal, { limit, noun: 'entry' }, 'entries', (most, before?: string) =>
          client.call('audit.list', { ...wanted, limit: most, ...defined({ before }) }),
        );
        if (entries.length === 0) terminal.err('nothing was changed or denied');
        print(terminal, command, entries, () => showEntries(terminal, entries));
      }),
    );
}

function showEntries(terminal: Terminal, entries: readonly AuditView[]): string {
  const now = terminal.now();
  return table(terminal, entries, [
    ['WHEN', ({ at }) => ageText(at, now)],
    ['WHO', ({ who, label }) => plainText(label ?? who ?? '-')],
    ['METHOD', ({ method }) => method ?? '-'],
    ['OF', ({ subject }) => subject ?? ''],
    ['OUTCOME', outcomeText],
    ['FROM', ({ from }) => from ?? '', { spare: true }],
  ]);
}

function outcomeText({ outcome, code, unlogged = 0 }: AuditView): string {
  const why = code === undefined ? outcome : `${outcome}: ${code}`;
  return unlogged === 0 ? why : `${why}, and ${unlogged} more before`;
}
