import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { limitOption } from '../options.ts';
import { showProject } from '../show-project.ts';
import { plainText } from '../../view/text.ts';
import type { Terminal } from '../terminal.ts';

/** `show`: shows one project, its targets and its records. */
export function createCommand(terminal: Terminal): Command {
  return new Command('show')
    .helpGroup(helpGroups.projects)
    .description('show a project: the state of its targets, its metrics and rules, and its records with their ages')
    .argument('<id>', 'the project')
    .option('--limit <count>', 'the most records to show', limitOption, 100)
    .addHelpText('after', examples('heronry show solar', 'heronry show shop --limit 1000', 'heronry show solar --json'))
    .action((id: string, { limit }: { readonly limit: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const [project, records] = await Promise.all([
          client.call('project.get', { id }),
          listRows(terminal, { limit, noun: 'record' }, 'records', (most, after?: string) =>
            client.call('project.records', { id, limit: most, ...defined({ after }) }),
          ),
        ]);
        const { metrics, problems } =
          project.metrics === undefined
            ? { metrics: [], problems: [] }
            : await client.call('metric.list', { project: id });
        const { rules } = project.rules === undefined ? { rules: [] } : await client.call('rule.list', { project: id });
        if (records.length === 0) terminal.err(`nothing is known of ${id} yet`);
        for (const problem of problems) terminal.err(plainText(problem));
        // `metrics` and `rules` of the project are what it says of them.
        const figures = project.metrics === undefined ? {} : { figures: metrics };
        const met = project.rules === undefined ? {} : { rulesMet: rules };
        print(terminal, command, { ...project, ...figures, ...met, records }, () =>
          showProject(terminal, project, { records, metrics, rules }),
        );
      }),
    );
}
