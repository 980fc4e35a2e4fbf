import { Command, Option } from 'commander';
import type { Client } from '../../control/client.ts';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { limitOption } from '../options.ts';
import { showProjects } from '../show-projects.ts';
import type { Terminal } from '../terminal.ts';

type Wanted = Omit<MethodInput<'project.list'>, 'after' | 'limit'>;

interface Options extends Wanted {
  readonly limit?: number;
  readonly ids?: boolean;
  readonly search?: string;
}

/** `list`: lists projects. */
export function createCommand(terminal: Terminal): Command {
  return new Command('list')
    .helpGroup(helpGroups.projects)
    .description('list projects; archived ones only with --status archived')
    .addOption(
      new Option('--status <status>', 'only projects of this status').choices(['active', 'finished', 'archived']),
    )
    .option('-l, --label <label>', 'only projects with this label')
    .option('-s, --source <id>', 'only projects with a target on this source')
    .option('--match <pattern>', "only projects whose id matches, such as 'shop-*'")
    .addOption(
      new Option(
        '--search <query>',
        'only projects with these words in id, name, labels or addresses, and as source:x, label:y and state:z say',
      ).conflicts(['status', 'label', 'source', 'match']),
    )
    .option('--limit <count>', 'the most projects to list; by default all', limitOption)
    .option('--ids', 'print only the ids')
    .addHelpText(
      'after',
      examples('heronry list', 'heronry list --label spring --json', 'heronry list --search "solar state:late"'),
    )
    .action(({ limit, ids, search: query, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const projects = await listRows(
          terminal,
          { ...defined({ limit }), noun: 'project' },
          'projects',
          (most, after?: string) =>
            query === undefined
              ? client.call('project.list', { ...wanted, limit: most, ...defined({ after }) })
              : client.call('project.search', { query, limit: most, ...defined({ after }) }),
        );
        if (projects.length === 0)
          terminal.err(query === undefined ? await whyNone(client, wanted) : 'no project matches');
        print(terminal, command, projects, () =>
          ids ? projects.map(({ id }) => id).join('\n') : showProjects(terminal, projects),
        );
      }),
    );
}

/** Resolves with the reason for an empty list. Rejects with a `CommandError` where there is no such source. */
async function whyNone(client: Client, wanted: Wanted): Promise<string> {
  const { source } = wanted;
  if (source !== undefined) {
    const { sources } = await client.call('source.list', {});
    if (!sources.some(({ id }) => id === source)) throw new CommandError('not_found', `no source "${source}"`);
  }
  return Object.keys(wanted).length > 0 ? 'no project matches' : 'no projects: add one with `heronry add`';
}
