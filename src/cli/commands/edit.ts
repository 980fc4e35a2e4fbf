import type { Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { examples } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { inOptions } from '../in-options.ts';
import { countOption, multiplierOption, repeatedOption } from '../options.ts';
import { paceInput, type ScheduleOptions, withScheduleOptions } from '../schedule-options.ts';
import { changeProjects, ofProjects } from '../selection.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

type Change = Omit<MethodInput<'project.update'>, 'id' | 'dryRun'>;

interface Options extends ScheduleOptions {
  readonly target?: number;
  /** Chooses projects. */
  readonly label?: string;
  readonly name?: string;
  readonly addLabel?: readonly string[];
  readonly removeLabel?: readonly string[];
  readonly multiplier?: number;
  readonly addUrl?: readonly string[];
  readonly removeTarget?: readonly number[];
}

/** `edit`: changes projects in place. */
export function createCommand(terminal: Terminal): Command {
  const command = ofProjects(
    'edit',
    'change the schedule, name, labels or targets of projects; their records and history stay',
  );
  return withScheduleOptions(command)
    .option('-t, --target <number>', 'with a schedule: of this target alone; by default of each', countOption)
    .option('-n, --name <name>', 'the name of the project')
    .option('--add-label <label>', 'a label to add; may be repeated', repeatedOption)
    .option('--remove-label <label>', 'a label to remove; may be repeated', repeatedOption)
    .option('--multiplier <number>', 'multiplies the priority, such as 1.5; up to 100', multiplierOption)
    .option('--add-url <url>', 'an address to track as well; may be repeated', repeatedOption)
    .option(
      '--remove-target <number>',
      'a target to track no more; may be repeated',
      (text: string, before: readonly number[] | undefined) => [...(before ?? []), countOption(text)],
    )
    .addHelpText(
      'after',
      examples(
        'heronry edit solar --every 2h --add-label spring --dry-run',
        'heronry edit solar --target 7 --cron "0 6 * * 1"',
        "heronry edit --match 'shop-*' --objective 4h,6h --yes",
      ),
    )
    .action((ids: readonly string[], options: Options, command: Command) => {
      if (ids.length > 0 && options.label !== undefined)
        throw new CommandError('usage', 'edit: --label chooses projects: --add-label and --remove-label change them');
      const own = (['name', 'target', 'removeTarget'] as const).find((each) => options[each] !== undefined);
      if (own !== undefined && ids.length !== 1)
        throw new CommandError('usage', `edit: --${ownOptions[own]}: expected the id of one project beside it`);
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        throw new CommandError('usage', 'edit: expected what to change, such as --every or --name');
      return changeProjects(terminal, command, ids, {
        verbs: ['edit', 'edited'],
        among: 'not archived',
        tellsDryRun: true,
        run: (client, id, dryRun) =>
          client.call('project.update', { ...change, id, dryRun }).catch(inOptions(optionNames)),
        show: ({ changes }, id) => {
          const told = changes.length === 0 ? ['unchanged'] : changes.map(plainText);
          return id === undefined ? told.join('; ') : told.map((each) => `${id}: ${each}`).join('\n');
        },
      });
    });
}

/** The options that set parameters of `project.update`, where they have other names. */
const optionNames = {
  addLabels: 'add-label',
  removeLabels: 'remove-label',
  addTargets: 'add-url',
  removeTargets: 'remove-target',
  everyMs: 'every',
};

/** The options that make sense for one project only. */
const ownOptions = { name: 'name', target: 'target', removeTarget: 'remove-target' } as const;

function changeOf({ target, name, addLabel, removeLabel, multiplier, addUrl, removeTarget, ...rest }: Options): Change {
  const { every, cron, tokens, continuous, objective, zone } = rest;
  const pace = paceInput('edit', defined({ every, cron, tokens, continuous, objective, zone }));
  const isPaced = Object.keys(pace).length > 0;
  if (target !== undefined && !isPaced)
    throw new CommandError('usage', 'edit: --target: expected a schedule beside it');
  return defined({
    name,
    addLabels: addLabel,
    removeLabels: removeLabel,
    multiplier,
    addTargets: addUrl?.map((url) => ({ url })),
    removeTargets: removeTarget,
    targetSchedule: isPaced ? { ...defined({ target }), ...pace } : undefined,
  });
}
