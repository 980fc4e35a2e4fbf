import { Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { inOptions } from '../in-options.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { multiplierOption, pairOption, repeatedOption } from '../options.ts';
import { paceInput, type ScheduleOptions, withScheduleOptions } from '../schedule-options.ts';
import { showProject } from '../show-project.ts';
import { pausedText } from '../show-why.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

interface Options extends ScheduleOptions {
  readonly source?: string;
  readonly url?: string;
  readonly param?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly label?: readonly string[];
  readonly multiplier?: number;
}

/** `add`: tracks a new project. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('add')
    .helpGroup(helpGroups.projects)
    .description('track a new project; more targets than one come with `apply`')
    .argument('[id]', 'the id of the project: letters, digits, - and _; by default one is made')
    .option(
      '-s, --source <id>',
      'the source; by default the one that the address belongs to, else `page`, which reads any public page',
    )
    .option('-u, --url <url>', 'the address on the source')
    .option('-p, --param <name=value>', "a parameter of the source's address pattern; may be repeated", pairOption);
  return withScheduleOptions(command)
    .option('-n, --name <name>', 'the name of the project')
    .option('-l, --label <label>', 'a label; may be repeated', repeatedOption)
    .option('--multiplier <number>', 'multiplies the priority, such as 1.5; up to 100', multiplierOption)
    .addHelpText(
      'after',
      examples(
        'heronry add --url https://shop.example/p/solar',
        'heronry add solar --url https://kickfund.example/projects/solar',
        'heronry add solar --source kickfund --param slug=solar --every 15m --label spring',
        'heronry add trials --source register',
        'heronry add terms --url https://shop.example/terms --cron "0 6 * * 1" --zone Europe/Berlin',
        'heronry add stock --url https://shop.example/stock --objective 4h,6h',
      ),
    )
    .action((id: string | undefined, options: Options, command: Command) => {
      const wanted = asked(id, options);
      return withDaemon(terminal, command, async (client) => {
        const {
          paused,
          infeasible = [],
          unknown = [],
          matched = [],
          ...project
        } = await client.call('project.add', wanted).catch(inOptions(optionNames));
        if (paused !== undefined) terminal.err(`warning: ${pausedText(paused)}`);
        for (const url of unknown)
          terminal.err(
            `no source knows this address: tracked as a page; \`heronry init source ${plainText(url)}\` drafts one that reads more`,
          );
        for (const { url, source, by } of matched) {
          const { isLoopbackUrl } = await import('../../definition/loopback.ts');
          const instead = isLoopbackUrl(url) ? '' : '; `--source page` tracks it as a page of no source';
          terminal.err(`by source ${source}, ${matchText[by]}${instead}`);
        }
        for (const each of infeasible) terminal.err(`warning: ${infeasibleText(each)}`);
        print(terminal, command, project, (project) =>
          showProject(terminal, project, { records: [], metrics: [], rules: [] }),
        );
      });
    });
}

/** Why a source was taken for an address. */
const matchText = {
  address: 'whose address it is',
  pattern: 'whose address pattern fits',
  plugin: 'whose plug-in knows the address',
  host: 'which is on the same host',
} as const;

/** The options that set parameters of `project.add`, where they have other names. */
const optionNames = { params: 'param', everyMs: 'every', labels: 'label' };

function asked(
  id: string | undefined,
  { source, url, param, name, label, multiplier, ...schedule }: Options,
): MethodInput<'project.add'> {
  if (url !== undefined && param !== undefined)
    throw new CommandError('usage', 'add: expected either --url or --param, got both');
  if (source === undefined && url === undefined)
    throw new CommandError('usage', 'add: expected --url, or --source with what its address needs');
  const target = {
    ...defined({ source }),
    // A source may need nothing to make an address of; the daemon knows what it lacks.
    ...(url === undefined ? { params: param ?? {} } : { url }),
    ...paceInput('add', schedule),
  };
  return {
    targets: [target],
    ...defined({ id, name, labels: label, multiplier }),
  };
}
