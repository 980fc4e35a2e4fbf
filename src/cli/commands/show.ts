import { Command } from 'commander';
import type { RecordView } from '../../control/methods/project.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { countOption } from '../options.ts';
import { showProject } from '../show.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../text.ts';

/** `show`: one project, its targets and what is known of it. */
export function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('show a project: how its targets fare, and what is known with its age')
    .argument('<id>', 'the project')
    .option('--limit <count>', 'at most so many records', countOption, 100)
    .addHelpText('after', examples('heronry show solar', 'heronry show shop --limit 1000', 'heronry show solar --json'))
    .action((id: string, { limit }: { readonly limit: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        let isCut = false;
        const [project, records] = await Promise.all([
          client.call('project.get', { id }),
          allSlices<RecordView, string>(limit, async (most, from) => {
            const slice = { id, limit: most, ...(from !== undefined && { after: from }) };
            const { records: rows, next } = await client.call('project.records', slice);
            isCut = next !== undefined;
            return { rows, next };
          }),
        ]);
        if (records.length === 0) terminal.err(`nothing is known of ${id} yet`);
        print(terminal, command, { ...project, records }, () => showProject(terminal, project, records));
        if (isCut) terminal.err(`… and more than ${countText(records.length, 'record')}: --limit shows more`);
      }),
    );
}
