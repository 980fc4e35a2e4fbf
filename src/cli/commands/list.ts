import { Command, Option } from 'commander';
import type { Client } from '../../control/client.ts';
import type { ProjectView } from '../../control/methods/project.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { countOption } from '../options.ts';
import { showProjects } from '../show.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly status?: ProjectView['status'];
  readonly label?: string;
  readonly source?: string;
  readonly limit: number;
  readonly ids?: boolean;
}

/** `list`: the projects. */
export function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list projects; archived ones only with --status archived')
    .addOption(new Option('--status <status>', 'only these').choices(['active', 'finished', 'archived']))
    .option('-l, --label <label>', 'only those with this label')
    .option('-s, --source <id>', 'only those with a target on this source')
    .option('--limit <count>', 'at most so many', countOption, 1_000)
    .option('--ids', 'print ids alone')
    .addHelpText('after', examples('heronry list', 'heronry list --label spring --json'))
    .action((options: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const projects = await listAll(client, options);
        if (projects.length === 0) terminal.err(await whyNone(client, options));
        print(terminal, command, projects, (projects) => {
          if (options.ids) return projects.map(({ id }) => id).join('\n');
          return projects.length > 0 ? showProjects(terminal, projects) : '';
        });
      }),
    );
}

/** What an empty list means. */
async function whyNone(client: Client, { status, label, source }: Options): Promise<string> {
  if (source !== undefined) {
    const { sources } = await client.call('source.list', {});
    if (!sources.some(({ id }) => id === source)) throw new CommandError(exitStatus.notFound, `no source "${source}"`);
  }
  const isNarrowed = status !== undefined || label !== undefined || source !== undefined;
  return isNarrowed ? 'no project matches' : 'no projects: add one with `heronry add`';
}

function listAll(client: Client, { status, label, source, limit }: Options): Promise<ProjectView[]> {
  const wanted = {
    ...(status && { status }),
    ...(label !== undefined && { label }),
    ...(source !== undefined && { source }),
  };
  return allSlices<ProjectView, string>(limit, async (most, from) => {
    const slice = { ...wanted, limit: most, ...(from !== undefined && { after: from }) };
    const { projects: rows, next } = await client.call('project.list', slice);
    return { rows, next };
  });
}
